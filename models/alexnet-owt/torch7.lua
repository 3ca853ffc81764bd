-- AlexNet on one tower, after "One weird trick": fewer channels, no groups, no normalisation.
require 'cudnn'

INPUTS = {image = {1, 3, 224, 224}}

local function conv(net, from, to, kernel, stride, pad)
  net:add(cudnn.SpatialConvolution(from, to, kernel, kernel, stride, stride, pad, pad))
  net:add(cudnn.ReLU(true))
end

local function pool(net)
  net:add(cudnn.SpatialMaxPooling(3, 3, 2, 2))
end

-- The convention of multi-GPU ImageNet training: the features on several devices, if there are.
function createModel(nGPU)
  local features = nn.Sequential()
  conv(features, 3, 64, 11, 4, 2)
  pool(features)
  conv(features, 64, 192, 5, 1, 2)
  pool(features)
  conv(features, 192, 384, 3, 1, 1)
  conv(features, 384, 256, 3, 1, 1)
  conv(features, 256, 256, 3, 1, 1)
  pool(features)

  local classifier = nn.Sequential()
  classifier:add(nn.View(256 * 6 * 6))
  classifier:add(nn.Dropout(0.5))
  classifier:add(nn.Linear(256 * 6 * 6, 4096))
  classifier:add(cudnn.ReLU(true))
  classifier:add(nn.Dropout(0.5))
  classifier:add(nn.Linear(4096, 4096))
  classifier:add(cudnn.ReLU(true))
  classifier:add(nn.Linear(4096, 1000))
  classifier:add(cudnn.LogSoftMax())

  features:cuda()
  features = makeDataParallel(features, nGPU)
  return nn.Sequential():add(features):add(classifier):cuda()
end
