-- ResNet of bottlenecks, the stride of a stage's first block in its 3x3 convolution.
require 'nn'
require 'cudnn'

INPUTS = {image = {1, 3, 224, 224}}

local BLOCKS = {[50] = {3, 4, 6, 3}, [101] = {3, 4, 23, 3}, [152] = {3, 8, 36, 3}}

local function conv(from, to, kernel, stride, pad)
  return cudnn.SpatialConvolution(from, to, kernel, kernel, stride, stride, pad, pad):noBias()
end

-- 1x1 down to `width`, 3x3 with the stride, 1x1 up to 4 x `width`, added to the shortcut.
local function bottleneck(from, width, stride)
  local to = 4 * width
  local branch = nn.Sequential()
  branch:add(conv(from, width, 1, 1, 0)):add(nn.SpatialBatchNormalization(width))
  branch:add(cudnn.ReLU(true))
  branch:add(conv(width, width, 3, stride, 1)):add(nn.SpatialBatchNormalization(width))
  branch:add(cudnn.ReLU(true))
  branch:add(conv(width, to, 1, 1, 0)):add(nn.SpatialBatchNormalization(to))

  local shortcut = nn.Identity()
  if stride ~= 1 or from ~= to then
    shortcut = nn.Sequential():add(conv(from, to, 1, stride, 0)):add(nn.SpatialBatchNormalization(to))
  end
  local both = nn.ConcatTable():add(branch):add(shortcut)
  return nn.Sequential():add(both):add(nn.CAddTable(true)):add(cudnn.ReLU(true))
end

local function stage(from, width, count, stride)
  local blocks = nn.Sequential()
  for index = 1, count do
    local first = index == 1
    blocks:add(bottleneck(first and from or 4 * width, width, first and stride or 1))
  end
  return blocks
end

-- He's initialisation, and a net that starts with the sum of the shortcuts.
local function initialise(net)
  for _, module in ipairs(net:findModules('cudnn.SpatialConvolution')) do
    local count = module.kW * module.kH * module.nOutputPlane
    module.weight:normal(0, math.sqrt(2 / count))
  end
  for _, module in ipairs(net:findModules('nn.SpatialBatchNormalization')) do
    module.weight:fill(1)
    module.bias:zero()
  end
  for _, module in ipairs(net:findModules('nn.Linear')) do
    module.bias:zero()
  end
end

-- The convention of options from the command line.
function createModel(opt)
  local counts = assert(BLOCKS[opt.depth], 'depth is one of 50, 101, 152')
  local net = nn.Sequential()
  net:add(conv(3, 64, 7, 2, 3)):add(nn.SpatialBatchNormalization(64)):add(cudnn.ReLU(true))
  net:add(nn.SpatialMaxPooling(3, 3, 2, 2, 1, 1))
  net:add(stage(64, 64, counts[1], 1))
  net:add(stage(256, 128, counts[2], 2))
  net:add(stage(512, 256, counts[3], 2))
  net:add(stage(1024, 512, counts[4], 2))
  net:add(cudnn.SpatialAveragePooling(7, 7, 1, 1))
  net:add(nn.View(2048):setNumInputDims(3))
  net:add(nn.Linear(2048, 1000))
  initialise(net)
  return net:cuda()
end
