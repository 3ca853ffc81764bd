-- Torch's packages other than `nn`, as far as definitions use them.
local H = ...
local error, type, ipairs, rawget, rawset, setmetatable = error, type, ipairs, rawget, rawset, setmetatable
local tostring, info = tostring, H.info

local nn = H.namespace('nn', {})
local cudnn = H.namespace('cudnn', H.cudnn)
rawset(nn, 'gModule', H.class('nn.gModule', nil, '', 'gModule'))
H.gModule(nn.gModule)
rawset(nn, 'Module', H.Module)
rawset(nn, 'utils', {})
for name, value in pairs{version = 5110, benchmark = false, fastest = false, verbose = false} do
  rawset(cudnn, name, value)
end

-- cudnn.convert: the classes of one library in place of the other's, where it has them.
local twins = 'SpatialConvolution SpatialFullConvolution SpatialMaxPooling SpatialAveragePooling '
  .. 'ReLU Tanh Sigmoid SoftMax LogSoftMax SpatialSoftMax SpatialLogSoftMax SpatialCrossMapLRN '
  .. 'BatchNormalization SpatialBatchNormalization VolumetricBatchNormalization '
  .. 'VolumetricConvolution VolumetricMaxPooling VolumetricAveragePooling TemporalConvolution'
function cudnn.convert(module, target)
  for _, one in ipairs(module:listModules()) do
    local held = info[one]
    local name = held.class.__typename:match('^c?u?d?nn%.(%w+)$')
    if name and twins:find('%f[%w]' .. name .. '%f[%W]') then
      held.class = (target == cudnn and cudnn or nn)[name]
    end
  end
  return module
end

-- A package that builds no networks. What it does to one (memory, progress bars) has no effect here;
-- what it would read or compute is an error, as only Torch7 could.
local function tool(name, harmless)
  local function refuse(key)
    return function() error('calls ' .. name .. '.' .. key .. ', which only Torch7 could run', 2) end
  end
  return setmetatable({}, {
    __index = function(_, key)
      if type(key) ~= 'string' then return nil end
      if harmless:find('%f[%w]' .. key .. '%f[%W]') or harmless == '*' then
        return function(first) return first end
      end
      return refuse(key)
    end,
    __metatable = false,
  })
end

-- A package of initialisations of weights, of which any name is accepted.
local function initialisers()
  return setmetatable({}, {__index = function() return function() end end, __metatable = false})
end

H.nn, H.cudnn = nn, cudnn
H.packages = {
  nn = nn, cudnn = cudnn, cunn = nn, dpnn = nn, rnn = nn, stn = nn, nnx = nn, nnlr = nn, clnn = nn,
  nngraph = tool('nngraph', '*'), inn = H.namespace('inn', H.inn), fbnn = H.namespace('fbnn', {}), fbcunn = nn,
  ccn2 = H.namespace('ccn2', {}, true), optnet = tool('optnet', '*'), nninit = initialisers(),
  xlua = tool('xlua', 'progress print log'), sys = tool('sys', 'tic toc'), optim = {}, env = {},
  graph = tool('graph', '*'), cltorch = tool('cltorch', 'setDevice synchronize'),
  cutorch = {
    getDeviceCount = function() return 1 end, setDevice = function() end,
    getDevice = function() return 1 end, manualSeed = function() end,
    manualSeedAll = function() end, synchronize = function() end, setHeapTracking = function() end,
    reserveStreams = function() end, withDevice = function(_, f) return f() end,
  },
}
for name in ('hdf5 loadcaffe lfs threads trepl gnuplot ffi bit cjson csvigo tds signal argcheck '
  .. 'class posix socket qt matio npy4th mattorch audio torchnet'):gmatch('%S+') do
  H.packages[name] = tool(name, '')
end
-- Kernels of images are tensors like others; functions that read or show images are errors.
H.packages.image = setmetatable({
  gaussian1D = function(size) return H.tensor(type(size) == 'number' and {size} or nil) end,
  gaussian = function() return H.tensor() end, display = function() end, save = function() end,
}, {__index = tool('image', ''), __metatable = false})

-- Packages that define no global of their own name.
H.silent = {cunn = true, clnn = true, dpnn = true, rnn = true, stn = true, nnx = true,
  nnlr = true, fbcunn = true, nninit = true, ffi = true, bit = true}

local torch = {}
function torch.typename(value) return info[value] and info[value].class.__typename or nil end
function torch.isTypeOf(value, name)
  local class = info[value] and info[value].class
  while class do
    if class == name or class.__typename == name then return true end
    class = rawget(class, 'parent')
  end
  return name == 'nn.Module' and info[value] ~= nil
end
function torch.type(value)
  return torch.typename(value) or H.is_tensor(value) and 'torch.FloatTensor' or type(value)
end
function torch.isTensor(value) return H.is_tensor(value) end
function torch.LongStorage(first, ...)
  return H.storage(type(first) == 'table' and first or {first, ...})
end
function torch.load()
  error('reads a file with torch.load, which a definition may not', 2)
end
for name in ('manualSeed setdefaulttensortype setnumthreads setheaptracking save'):gmatch('%S+') do
  torch[name] = function() end
end
function torch.getnumthreads() return 1 end
function torch.getdefaulttensortype() return 'torch.FloatTensor' end
function torch.range(first, last, step)
  local values = {}
  for value = first, last, step or 1 do
    if #values > 1e5 then break end
    values[#values + 1] = value
  end
  return H.listed(values)
end
for name in ('Tensor FloatTensor DoubleTensor CudaTensor LongTensor IntTensor ByteTensor HalfTensor '
  .. 'CudaHalfTensor zeros ones rand randn'):gmatch('%S+') do
  torch[name] = function(...)
    local first = ...
    if type(first) == 'number' then return H.tensor({...}) end
    return type(first) == 'table' and not H.is_tensor(first) and H.listed(first) or H.tensor()
  end
end
for name in ('sum prod max min'):gmatch('%S+') do
  torch[name] = function(tensor, ...) return tensor[name](tensor, ...) end
end

-- torch.class: a class derived from another, in its namespace or among the definition's globals.
function torch.class(typename, parent)
  local base = type(parent) == 'string' and parent or 'nn.Module'
  local space, name = base:match('^(%w+)%.(%w+)$')
  local above = H.packages[space] and H.packages[space][name] or H.Module
  local class = H.class(typename, above)
  class.parent = above
  class.__init = above.__init
  local own, short = typename:match('^(%w+)%.(%w+)$')
  if own and H.packages[own] then
    rawset(H.packages[own], short, class)
  else
    rawset(H.globals, typename, class)
  end
  H.classes[#H.classes + 1] = typename
  return class, above
end
H.classes = {}

-- torch.CmdLine: the options that a script declares, with its own defaults.
function torch.CmdLine()
  local held, command = {}, {}
  local function declare(name, value)
    name = tostring(name):gsub('^%-+', '')
    local given = H.arguments[name]
    if given ~= nil then value = given end
    rawset(held, name, value)
  end
  function command.option(_, name, value) declare(name, value) end
  function command.argument(_, name) declare(name, nil) end
  function command.parse()
    return setmetatable(held, {
      __index = function(_, name) return H.given(name, 'opt') end, __metatable = false,
    })
  end
  for name in ('text addTime log silent help'):gmatch('%S+') do command[name] = function() end end
  function command.string() return 'options' end
  return command
end
H.packages.torch = torch
