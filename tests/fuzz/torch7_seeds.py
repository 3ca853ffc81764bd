"""Definitions in Lua that use what the catalog's do not."""

DEFINITIONS = (
    """require 'nn'
INPUTS = {x = {1, 4, 9, 9}}
local a = nn.Sequential()
a:add(nn.SpatialConvolution(4, 6, 3, 3, 2, 2, 1, 1))
a:add(nn.SpatialBatchNormalization(6, 1e-3))
a:add(nn.PReLU(6))
a:add(nn.SpatialMaxPooling(3, 3, 2, 2):ceil())
local b = nn.Sequential():add(nn.SpatialFullConvolution(4, 6, 3, 3, 2, 2, 1, 1, 1, 1))
b:add(nn.SpatialAveragePooling(9, 9, 9, 9)):add(nn.LeakyReLU(0.1))
local net = nn.Sequential():add(nn.ConcatTable():add(a):add(b)):add(nn.JoinTable(2))
net:add(nn.SpatialUpSamplingNearest(2)):add(nn.SpatialZeroPadding(1, 1, -1, 0))
net:add(nn.SpatialCrossMapLRN(3, 0.5, 0.75, 2)):add(nn.SpatialDropout(0.2))
net:add(nn.View(-1, 12 * 18)):add(nn.Linear(216, 8)):add(nn.BatchNormalization(8))
net:add(nn.Normalize(2)):add(nn.LogSoftMax())
for _, m in ipairs(net:findModules('nn.SpatialConvolution')) do
  m.weight:normal(0, math.sqrt(2 / (m.kW * m.kH * m.nOutputPlane)))
end
return net
""",
    """require 'nngraph'
INPUTS = {x = {2, 5, 8}}
local x = nn.Identity()()
local h = nn.Tanh()(nn.TemporalConvolution(8, 8, 3, 1)(x))
local s = nn.Narrow(2, 2, 3)(x)
local sum = nn.CAddTable()({h, s})
local m = nn.CMulTable()({nn.Sigmoid()(sum), nn.ReLU(true)(sum)})
local sel = nn.Select(2, 1)(m)
local t = nn.Transpose({2, 3})(m)
local r = nn.Reshape(24)(t)
local out = nn.Linear(24, 4)(nn.Dropout(0.3)(r))
return nn.gModule({x}, {out, nn.Linear(8, 2)(sel)})
""",
    """require 'cudnn'
INPUTS = {x = {1, 1, 28, 28}}
local function block(n, m, stride)
  local s = nn.Sequential():add(cudnn.SpatialConvolution(n, m, 3, 3, stride, stride, 1, 1))
  s:add(nn.SpatialBatchNormalization(m)):add(cudnn.ReLU(true))
  local short = n == m and nn.Identity() or nn.SpatialConvolution(n, m, 1, 1, stride, stride)
  return nn.Sequential():add(nn.ConcatTable():add(s):add(short)):add(nn.CAddTable(true))
end
function createModel(opt)
  local model = nn.Sequential()
  local widths = {1, 4, 8, 16}
  for i = 2, #widths do model:add(block(widths[i - 1], widths[i], i)) end
  model:add(nn.SplitTable(3)):add(nn.SelectTable(1)):add(nn.Unsqueeze(3))
  model:add(nn.Mean(3)):add(nn.Padding(2, 1)):add(nn.MulConstant(0.5)):add(nn.AddConstant(1))
  model:add(nn.Replicate(2, 2)):add(nn.Sum(2)):add(nn.SoftMax())
  return model
end
""",
)
