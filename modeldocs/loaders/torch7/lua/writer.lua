-- What was recorded, as JSON: a flat list of modules that name each other by number.
local H = ...
local type, pairs, ipairs, rawget, tostring, next = type, pairs, ipairs, rawget, tostring, next
local format, byte, concat, sort, floor = string.format, string.byte, table.concat, table.sort, math.floor
local gsub, sub = string.gsub, string.sub
local info, nodes, error = H.info, H.nodes, error

local MAX_TEXT, MAX_LIST = 200, 64

local function text(value)
  local cut = sub(value, 1, MAX_TEXT)
  return '"' .. gsub(cut, '[%c"\\\127-\255]', function(c) return format('\\u%04x', byte(c)) end) .. '"'
end

local function number(value)
  if value ~= value or value == 1 / 0 or value == -1 / 0 then return text(tostring(value)) end
  if value == floor(value) and value > -2 ^ 53 and value < 2 ^ 53 then return format('%d', value) end
  return format('%.17g', value)
end

local function plain(value, depth)
  local kind = type(value)
  if kind == 'number' then return number(value) end
  if kind == 'string' then return text(value) end
  if kind == 'boolean' then return tostring(value) end
  if kind ~= 'table' or info[value] or nodes[value] or depth > 2 then return nil end
  if H.is_tensor(value) then
    local sizes = rawget(value, 'sizes')
    return '{"tensor":' .. (sizes and plain(sizes, depth + 1) or 'null') .. '}'
  end
  local parts = {}
  for index = 1, MAX_LIST do
    local item = rawget(value, index)
    if item == nil then break end
    parts[index] = plain(item, depth + 1) or 'null'
  end
  return '[' .. concat(parts, ',') .. ']'
end

local hidden = {modules = true, module = true, inputs = true, outputs = true}
for name in ('output gradInput gradWeight gradBias _type train modules_ noBias_'):gmatch('%S+') do
  hidden[name] = true
end

local function object(pairs_)
  return '{' .. concat(pairs_, ',') .. '}'
end

local function fields(module)
  local names = {}
  for key in next, module do
    if type(key) == 'string' and not hidden[key] then names[#names + 1] = key end
  end
  sort(names)
  local parts = {}
  for _, key in ipairs(names) do
    local value = plain(rawget(module, key), 0)
    if value then parts[#parts + 1] = text(key) .. ':' .. value end
  end
  return object(parts)
end

-- The known class that a module behaves as; none of one that computes on its own.
local function builtin(class)
  while class do
    if rawget(class, 'builtin') then return rawget(class, 'builtin') end
    if rawget(class, 'updateOutput') then return nil end
    class = rawget(class, 'parent')
  end
end

local Numbers = {}
Numbers.__index = Numbers

-- The number of a module or node, which joins the queue where it is new.
function Numbers.of(self, thing)
  local found = self.index[thing]
  if not found then
    found = #self.queue
    self.index[thing], self.queue[found + 1] = found, thing
  end
  return found
end

local function numbering()
  return setmetatable({index = {}, queue = {}}, Numbers)
end

local function references(numbers, things, known)
  local parts = {}
  for index = 1, #things do
    local thing = rawget(things, index)
    if not known[thing] then error('holds something that is no module, at ' .. index, 0) end
    parts[index] = format('%d', numbers:of(thing))
  end
  return '[' .. concat(parts, ',') .. ']'
end

local function described(module, modules, graph)
  local held = info[module]
  local parts = {
    '"type":' .. text(held.class.__typename),
    '"fields":' .. fields(module),
    '"children":' .. references(modules, rawget(module, 'modules') or {}, info),
  }
  local behaves = builtin(held.class)
  if behaves then parts[#parts + 1] = '"builtin":' .. text(behaves) end
  if held.line then parts[#parts + 1] = '"line":' .. number(held.line) end
  if held.like then parts[#parts + 1] = '"like":' .. number(modules:of(held.like)) end
  for _, name in ipairs{'inputs', 'outputs'} do
    local ends = rawget(module, name)
    if behaves == 'gModule' and type(ends) == 'table' then
      parts[#parts + 1] = text(name) .. ':' .. references(graph, ends, nodes)
    end
  end
  return object(parts)
end

local function node(one, modules, graph)
  local held = nodes[one]
  local parts = {'"parents":' .. references(graph, held.parents, nodes)}
  if held.module then parts[#parts + 1] = '"module":' .. number(modules:of(held.module)) end
  if held.select then parts[#parts + 1] = '"select":' .. number(held.select) end
  return object(parts)
end

-- Everything that is reached from a module.
function H.write(root)
  local modules, graph = numbering(), numbering()
  modules:of(root)
  local told, drawn = {}, {}
  repeat
    local before = #told + #drawn
    while #told < #modules.queue do
      told[#told + 1] = described(modules.queue[#told + 1], modules, graph)
    end
    while #drawn < #graph.queue do
      drawn[#drawn + 1] = node(graph.queue[#drawn + 1], modules, graph)
    end
  until #told + #drawn == before
  return '{"modules":[' .. concat(told, ',') .. '],"nodes":[' .. concat(drawn, ',') .. ']}'
end

-- The inputs that the file itself names: shapes by name, or a list of shapes.
function H.write_inputs(given)
  if type(given) ~= 'table' then return 'null' end
  local names = {}
  for key in next, given do
    if type(key) == 'string' then names[#names + 1] = key end
  end
  sort(names)
  local parts = {}
  for index = 1, MAX_LIST do
    local shape = rawget(given, index)
    if type(shape) ~= 'table' then break end
    parts[#parts + 1] = '["",' .. (plain(shape, 0) or 'null') .. ']'
  end
  for _, name in ipairs(names) do
    parts[#parts + 1] = '[' .. text(name) .. ',' .. (plain(rawget(given, name), 0) or 'null') .. ']'
  end
  return '[' .. concat(parts, ',') .. ']'
end

local function texts(list, names)
  local parts = {}
  for index, one in ipairs(list) do
    local items = {}
    for place, name in ipairs(names) do items[place] = plain(one[name], 0) or 'null' end
    parts[index] = '[' .. concat(items, ',') .. ']'
  end
  return '[' .. concat(parts, ',') .. ']'
end

-- What was assumed by name, what nothing gives, the files that were asked for, and notes.
function H.write_given()
  local assumed, names = {}, {}
  for name in pairs(H.assumed) do names[#names + 1] = name end
  sort(names)
  for index, name in ipairs(names) do assumed[index] = {name = name, value = H.assumed[name]} end
  return object{
    '"assumed":' .. texts(assumed, {'name', 'value'}),
    '"unknown":' .. texts(H.unknown, {'name', 'within', 'file', 'line'}),
    '"wanted":' .. texts(H.wanted, {'from', 'name'}),
    '"notes":' .. plain(H.notes, 0),
  }
end
