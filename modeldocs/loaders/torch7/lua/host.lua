-- The sandbox: what a definition may see, and how it is run.
local H = ...
local error, type, pairs, ipairs, rawget, rawset = error, type, pairs, ipairs, rawget, rawset
local setmetatable, getmetatable, select, tostring = setmetatable, getmetatable, select, tostring
local raw_pcall, load_chunk = pcall, load
local sethook, getlocal = debug.sethook, debug.getlocal
local unpack_list, concat, info = table.unpack, table.concat, H.info

local MAX_PRINTED, printed = 1000, {}
H.printed = printed

local MAX_STEPS, MAX_LINES, STRIDE = 5e7, 2e5, 1e5
local steps, lines, exhausted = 0, 0, 'runs too long: more than 50 million instructions'

-- Counts instructions, and remembers the definition's line: a tail call leaves no frame to ask.
-- Lines are dear to watch, so a long run is counted alone.
local function watch(event, line)
  if event == 'line' then
    if line <= H.first_line then H.line = line end
    lines = lines + 1
    if lines > MAX_LINES then
      H.line = nil
      sethook(watch, '', STRIDE)
    end
    return
  end
  steps = steps + STRIDE
  if steps > MAX_STEPS then
    sethook(watch, '', 100)
    error(exhausted, 0)
  end
end

-- A definition may catch its own errors, but not that its time is up.
local function passed(...)
  if steps > MAX_STEPS then error(exhausted, 0) end
  return ...
end

local function copy(library, but)
  local made = {}
  for name, value in pairs(library) do
    if name ~= but then made[name] = value end
  end
  return made
end

local nn = H.namespace('nn', {})
local cudnn = H.namespace('cudnn', H.cudnn)
local spaces = {
  nn = nn, cudnn = cudnn, inn = H.namespace('inn', {}), dpnn = nn, rnn = nn, nngraph = {},
  stn = nn, cunn = nn,
}

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

local torch = {}
function torch.manualSeed() end
function torch.setdefaulttensortype() end
function torch.setnumthreads() end
function torch.getnumthreads() return 1 end
function torch.getdefaulttensortype() return 'torch.FloatTensor' end
function torch.typename(value) return info[value] and info[value].class.__typename or nil end
function torch.isTypeOf(value, name)
  local class = info[value] and info[value].class
  while class do
    if class == name or class.__typename == name then return true end
    class = rawget(class, 'parent')
  end
  return name == 'nn.Module' and info[value] ~= nil
end
function torch.type(value) return torch.typename(value) or type(value) end
function torch.isTensor(value) return H.is_tensor(value) end
function torch.LongStorage(first, ...)
  return H.storage(type(first) == 'table' and first or {first, ...})
end
function torch.load()
  error('reads a file with torch.load, which a definition may not', 2)
end
for name in ('Tensor FloatTensor DoubleTensor CudaTensor LongTensor ByteTensor zeros ones rand '
  .. 'randn'):gmatch('%S+') do
  torch[name] = function(...)
    local first = ...
    if type(first) == 'number' then return H.tensor({...}) end
    return H.tensor(type(first) == 'table' and type(first[1]) == 'number' and {#first} or nil)
  end
end

local env
function torch.class(typename, parent)
  local base = type(parent) == 'string' and parent or 'nn.Module'
  local space, name = base:match('^(%w+)%.(%w+)$')
  local above = spaces[space] and spaces[space][name] or H.Module
  local class = H.class(typename, above)
  class.parent = above
  class.__init = above.__init
  local own, short = typename:match('^(%w+)%.(%w+)$')
  if own and spaces[own] then rawset(spaces[own], short, class) else env[typename] = class end
  return class, above
end
spaces.torch, spaces.cutorch = torch, {
  getDeviceCount = function() return 1 end, setDevice = function() end,
  getDevice = function() return 1 end, manualSeed = function() end, synchronize = function() end,
}
for _, name in ipairs{'optim', 'xlua', 'paths', 'env'} do spaces[name] = {} end

local strings = copy(string, 'dump')
local tables = copy(table)
tables.getn = function(list) return #list end
local maths = copy(math)
maths.mod = math.fmod

env = {
  assert = assert, error = error, ipairs = ipairs, next = next, pairs = pairs, select = select,
  rawequal = rawequal, rawget = rawget, rawlen = rawlen, rawset = rawset, tonumber = tonumber,
  tostring = tostring, type = type, unpack = unpack_list, _VERSION = _VERSION,
  string = strings, table = tables, math = maths,
  nn = nn, cudnn = cudnn, torch = torch, cutorch = spaces.cutorch, inn = spaces.inn,
}
env._G = env

function env.pcall(f, ...) return passed(raw_pcall(f, ...)) end
local function handled(handler, ok, ...)
  if ok then return true, ... end
  return false, handler(...)
end

-- The handler runs afterwards: inside of an error of the counter nothing would count.
function env.xpcall(f, handler, ...) return handled(handler, passed(raw_pcall(f, ...))) end
function env.collectgarbage() return 0 end
function env.makeDataParallel(module) return module end

function env.setmetatable(target, meta)
  if type(meta) == 'table' and rawget(meta, '__gc') ~= nil then
    error('sets a finaliser, which a definition may not', 2)
  end
  return setmetatable(target, meta)
end

function env.getmetatable(value)
  if type(value) ~= 'table' then return nil end
  return getmetatable(value) or nil
end

function env.require(name)
  local space = spaces[name]
  if not space then
    error('requires ' .. tostring(name) .. ', which a definition that is read alone does not have', 2)
  end
  if name ~= 'cunn' and name ~= 'nngraph' then env[name] = env[name] or space end
  return space
end

function env.print(...)
  local parts = {}
  for index = 1, select('#', ...) do parts[index] = tostring((select(index, ...))) end
  if #printed < MAX_PRINTED then printed[#printed + 1] = concat(parts, '\t'):sub(1, MAX_PRINTED) end
end

-- A table given from outside, as the definition's own.
function H.option(held, name, value) held[name] = value end

local function parameter(f) return getlocal(f, 1) or '' end

local function network(value)
  if info[value] then return value end
  if type(value) ~= 'table' then return nil end
  for _, name in ipairs{'model', 'net', 'network'} do
    if info[rawget(value, name)] then return rawget(value, name) end
  end
end

local function called(f, options)
  if parameter(f):lower():match('gpu') then return f(options.nGPU or 1) end
  return f(options)
end

local function entry(returned, wanted)
  if wanted then return rawget(env, wanted) or type(returned) == 'table' and returned[wanted] end
  if type(returned) == 'function' or network(returned) then return returned end
  local inner = type(returned) == 'table' and rawget(returned, 'createModel')
  for _, name in ipairs{'createModel', 'model', 'net', 'network'} do
    inner = inner or rawget(env, name)
  end
  return inner or returned
end

-- Run a definition, and write down the network that it makes and the inputs that it names.
function H.run(code, name, wanted, options)
  H.source = '@' .. name
  local chunk, problem = load_chunk(code, H.source, 't', env)
  if not chunk then error(problem, 0) end
  sethook(watch, 'l', STRIDE)
  local found = entry(chunk(), wanted)
  if type(found) == 'function' then found = called(found, options) end
  local made = network(found)
  local told = made and H.write(made)
  local inputs = H.write_inputs(rawget(env, 'INPUTS'))
  sethook()
  return told, inputs, type(found)
end
