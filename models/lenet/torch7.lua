-- LeNet as Caffe's MNIST example defines it: two convolutions, two pools, two dense layers.
require 'nn'

INPUTS = {image = {1, 1, 28, 28}}

-- The convention of DIGITS: a function of the parameters of a training that gives the network.
return function(params)
  local net = nn.Sequential()
  net:add(nn.SpatialConvolution(1, 20, 5, 5))
  net:add(nn.SpatialMaxPooling(2, 2, 2, 2))
  net:add(nn.SpatialConvolution(20, 50, 5, 5))
  net:add(nn.SpatialMaxPooling(2, 2, 2, 2))
  net:add(nn.View(50 * 4 * 4):setNumInputDims(3))
  net:add(nn.Linear(50 * 4 * 4, 500))
  net:add(nn.ReLU(true))
  net:add(nn.Linear(500, params.nclasses or 10))
  net:add(nn.SoftMax())
  return {model = net, trainBatchSize = 64, validationBatchSize = 100}
end
