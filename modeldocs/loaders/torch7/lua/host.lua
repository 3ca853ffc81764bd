-- The sandbox: the globals that a definition may use, and how it is run.
local H = ...
local error, type, pairs, rawget, rawset = error, type, pairs, rawget, rawset
local setmetatable, getmetatable, select, tostring = setmetatable, getmetatable, select, tostring
local raw_pcall, load_chunk = pcall, load
local sethook, getinfo = debug.sethook, debug.getinfo
local unpack_list, concat = table.unpack, table.concat

local MAX_PRINTED, printed = 1000, {}
H.printed = printed

local MAX_STEPS, MAX_LINES, STRIDE = 5e7, 2e5, 1e5
local steps, lines, exhausted = 0, 0, 'runs too long: more than 50 million instructions'

-- Counts instructions, and keeps the definition's line: a tail call leaves no stack frame with it.
-- A hook for each line is slow, so a long run only counts instructions.
local function watch(event, line)
  if event == 'line' then
    if getinfo(2, 'S').source == H.source then H.line = line end
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

-- A definition may catch its own errors, but not that of the instruction limit.
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

local strings = copy(string, 'dump')
local tables = copy(table)
tables.getn = function(list) return #list end
local maths = copy(math)
maths.mod = math.fmod

local env = {
  assert = assert, error = error, ipairs = ipairs, next = next, pairs = pairs, select = select,
  rawequal = rawequal, rawget = rawget, rawlen = rawlen, rawset = rawset, tonumber = tonumber,
  tostring = tostring, type = type, unpack = unpack_list, _VERSION = _VERSION, arg = {},
  string = strings, table = tables, math = maths, require = H.require, dofile = H.dofile,
  nn = H.nn, cudnn = H.cudnn,
}
for name in ('torch cutorch inn paths'):gmatch('%S+') do env[name] = H.packages[name] end
env._G, H.globals = env, env

setmetatable(env, {
  __index = function(_, name)
    if type(name) == 'string' and H.is_options(name) then
      return not H.makes(name) and H.options or nil
    end
    local value = H.given(name, '')
    return type(value) == 'string' and H.packages[value] or value
  end,
  __metatable = false,
})

function env.pcall(f, ...) return passed(raw_pcall(f, ...)) end
local function handled(handler, ok, ...)
  if ok then return true, ... end
  return false, handler(...)
end

-- The handler runs afterwards: during an error of the counter, instructions would not be counted.
function env.xpcall(f, handler, ...) return handled(handler, passed(raw_pcall(f, ...))) end
function env.collectgarbage() return 0 end
function env.makeDataParallel(module) return module end
env.makeDataParallelTable = env.makeDataParallel

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

function env.print(...)
  local parts = {}
  for index = 1, select('#', ...) do parts[index] = tostring((select(index, ...))) end
  if #printed < MAX_PRINTED then printed[#printed + 1] = concat(parts, '\t'):sub(1, MAX_PRINTED) end
end

-- Run a definition, and return its network and `INPUTS` as JSON; for one without a network, the type
-- of what it returned and the names that it defines.
function H.run(code, name, wanted)
  H.source = '@' .. name
  H.remember_source(H.source, code)
  local chunk, problem = load_chunk(code, H.source, 't', env)
  if not chunk then error(problem, 0) end
  local before = {}
  for key in pairs(env) do before[key] = true end
  sethook(watch, 'l', STRIDE)
  local made, kind, defined = H.network(chunk(), wanted, before)
  local told = made and H.write(made)
  local inputs = H.write_inputs(rawget(env, 'INPUTS'))
  sethook()
  return told, inputs, kind, concat(defined, '\n')
end

-- The assumptions, unknown names, wanted files and notes of a run as JSON, also of a failed one.
function H.told()
  sethook()
  return H.write_given()
end
