-- What a definition takes from the script that trains it: globals, and fields of its options.
--
-- An argument of the request comes first, then a usual default, which is noted as assumed. A name
-- without either is nil, and recorded with its line, so that a later error can name it.
local H = ...
local type, pairs, ipairs, rawset, setmetatable, insert = type, pairs, ipairs, rawset, setmetatable, table.insert
local getinfo = debug.getinfo

H.arguments, H.defaults, H.sources = {}, {}, {}
H.assumed, H.unknown = {}, {}

local named = {}
for name in ('opt opts options param params parameters config cfg args'):gmatch('%S+') do
  named[name] = true
end

-- The key of a name: `nClasses`, `num_classes` and `n_classes` have the same.
local function plain(name)
  return (name:lower():gsub('_', ''):gsub('^num', 'n'))
end

-- The running line of the definition and its text, from the call stack.
local function place()
  for level = 3, 60 do
    local frame = getinfo(level, 'Sl')
    if not frame then break end
    local lines = H.sources[frame.source]
    if lines then return frame.source:sub(2), frame.currentline, lines[frame.currentline] or '' end
  end
  return nil, nil, ''
end

-- Whether the running line sets a name itself where it is missing (`if not name then`).
function H.makes(name)
  local _, _, text = place()
  local asks = (text .. ' '):find('not%s+' .. name .. '[^%w_.%[]') ~= nil
  return asks and not text:find('assert', 1, true)
end

-- Whether a line only tests for a name, or has a value of its own where the name is missing.
local function does_without(name, text)
  if text:find('assert', 1, true) or text:find('error', 1, true) then return false end
  local whole = '%f[%w_]' .. name .. '%f[^%w_]%s*'
  return text:find(whole .. 'or%f[%W]') or text:find(whole .. 'and%f[%W]')
    or text:find(whole .. '[=~]=%s*nil') or text:find('not%s+[%w_.]*' .. whole)
    or text:find('if%s+[%w_.]*' .. whole .. 'then')
end

-- The value of a name that the definition does not define; `within` is the table it is a field of.
function H.given(name, within)
  if type(name) ~= 'string' or not name:match('^[%a_][%w_]*$') then return nil end
  local value = H.arguments[name]
  if value == nil then value = H.assumed[name] end
  if value ~= nil then return value end
  local file, line, text = place()
  local spared = file and does_without(name, text)
  value = not spared and H.defaults[plain(name)] or nil
  if value ~= nil then
    rawset(H.assumed, name, value)
  elseif not spared and #H.unknown < 1000 then
    insert(H.unknown, {name = name, within = within or '', file = file or '', line = line or 0})
  end
  return value
end

-- The table of options: values of the request, and all others by lookup.
H.options = setmetatable({}, {
  __index = function(_, name) return H.given(name, 'opt') end,
  __metatable = false,
})

function H.is_options(name)
  return named[name:lower()] == true
end

-- A value of the request, which the definition may find under its own name.
function H.argument(name, value)
  H.arguments[name] = value
  rawset(H.options, name, value)
end

function H.default(name, value) H.defaults[name] = value end

-- A file of the definition, for the text of its lines.
function H.remember_source(chunk, code)
  local lines = {}
  for text in (code .. '\n'):gmatch('(.-)\r?\n') do lines[#lines + 1] = text end
  H.sources[chunk] = lines
end
