-- Inception-BN: each convolution normalised, two 3 x 3 in place of a 5 x 5, some strides inside.
require 'nn'

INPUTS = {image = {1, 3, 224, 224}}

local function conv(net, from, to, kernel, stride, pad)
  net:add(nn.SpatialConvolution(from, to, kernel, kernel, stride or 1, stride or 1, pad or 0, pad or 0))
  net:add(nn.SpatialBatchNormalization(to, 1e-3))
  return net:add(nn.ReLU(true))
end

local function pool(kind, stride, pad)
  local class = kind == 'avg' and nn.SpatialAveragePooling or nn.SpatialMaxPooling
  return class(3, 3, stride, stride, pad, pad):ceil()
end

-- Branches of 1x1; reduced and 3x3; reduced and two 3x3; pool and projection, joined by channels.
-- Without a 1x1 the module halves the image, and its pool passes the channels on.
local function inception(from, one, three, double, kind, projected)
  local stride = one and 1 or 2
  local branches = nn.Concat(2)
  if one then branches:add(conv(nn.Sequential(), from, one, 1)) end
  local middle = conv(nn.Sequential(), from, three[1], 1)
  branches:add(conv(middle, three[1], three[2], 3, stride, 1))
  local wide = conv(nn.Sequential(), from, double[1], 1)
  conv(wide, double[1], double[2], 3, 1, 1)
  branches:add(conv(wide, double[2], double[2], 3, stride, 1))
  local last = nn.Sequential():add(pool(kind, stride, one and 1 or 0))
  if projected then conv(last, from, projected, 1) end
  return branches:add(last)
end

local net = nn.Sequential()
conv(net, 3, 64, 7, 2, 3)
net:add(pool('max', 2, 0))
conv(net, 64, 64, 1)
conv(net, 64, 192, 3, 1, 1)
net:add(pool('max', 2, 0))
net:add(inception(192, 64, {64, 64}, {64, 96}, 'avg', 32)) -- 3a
net:add(inception(256, 64, {64, 96}, {64, 96}, 'avg', 64)) -- 3b
net:add(inception(320, nil, {128, 160}, {64, 96}, 'max')) -- 3c
net:add(inception(576, 224, {64, 96}, {96, 128}, 'avg', 128)) -- 4a
net:add(inception(576, 192, {96, 128}, {96, 128}, 'avg', 128)) -- 4b
net:add(inception(576, 160, {128, 160}, {128, 160}, 'avg', 128)) -- 4c
net:add(inception(608, 96, {128, 192}, {160, 192}, 'avg', 128)) -- 4d
net:add(inception(608, nil, {128, 192}, {192, 256}, 'max')) -- 4e
net:add(inception(1056, 352, {192, 320}, {160, 224}, 'avg', 128)) -- 5a
net:add(inception(1024, 352, {192, 320}, {192, 224}, 'max', 128)) -- 5b
net:add(nn.SpatialAveragePooling(7, 7, 1, 1))
net:add(nn.View(1024):setNumInputDims(3))
net:add(nn.Linear(1024, 1000))
net:add(nn.LogSoftMax())

return net
