-- Files beside a definition: `require`, `dofile` and `paths`. Python supplies their text; a file that
-- is missing is recorded, so that Python can look for it.
local H = ...
local error, type, ipairs, rawget, tostring, select = error, type, ipairs, rawget, tostring, select
local load_chunk, concat, getinfo = load, table.concat, debug.getinfo

local texts, loaded = {}, {}
H.wanted = {}

-- The text of a file: `from` is the file that asks for it by `name`, `chunk` its name in errors.
function H.file(from, name, chunk, code)
  texts[from .. '\n' .. name] = {source = '@' .. chunk, code = code}
end

-- The running file of the definition, from the call stack.
local function running()
  for level = 3, 60 do
    local frame = getinfo(level, 'S')
    if not frame then break end
    if H.sources[frame.source] then return frame.source:sub(2) end
  end
  return H.source:sub(2)
end

local function run_file(name, again)
  local from = running()
  local found = texts[from .. '\n' .. name]
  if not found then
    H.wanted[#H.wanted + 1] = {from = from, name = name}
    return false
  end
  if loaded[found.source] and not again then return true, loaded[found.source].value end
  H.remember_source(found.source, found.code)
  local chunk, problem = load_chunk(found.code, found.source, 't', H.globals)
  if not chunk then error(problem, 0) end
  loaded[found.source] = {value = true}
  local value = chunk()
  if value == nil then value = true end
  loaded[found.source].value = value
  return true, value
end

local function dofile(name)
  local found, value = run_file(tostring(name), true)
  if not found then
    error('runs ' .. tostring(name) .. ', which is not beside the definition', 2)
  end
  return value
end

local function require(name)
  local space = H.packages[name]
  if not space then
    local found, value = run_file(tostring(name), false)
    if found then return value end
    error('requires ' .. tostring(name) .. ', which is no package that is known and no file beside it', 2)
  end
  if not H.silent[name] and rawget(H.globals, name) == nil then H.globals[name] = space end
  return space
end

local function nothing() return nil end
local function never() return false end

H.packages.paths = {
  dofile = dofile, mkdir = nothing, cwd = function() return '.' end,
  thisfile = function(name) return name or '.' end, filep = never, dirp = never,
  concat = function(...)
    local parts = {}
    for index = 1, select('#', ...) do parts[index] = tostring((select(index, ...))) end
    return concat(parts, '/')
  end,
  basename = function(path, suffix)
    local name = tostring(path):match('[^/]*$')
    return suffix and name:gsub('%.?' .. tostring(suffix):gsub('%p', '%%%0') .. '$', '') or name
  end,
  dirname = function(path) return tostring(path):match('^(.*)/') or '.' end,
}
H.dofile, H.require = dofile, require
