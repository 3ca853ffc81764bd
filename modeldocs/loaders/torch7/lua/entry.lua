-- The network of a definition, or the function that builds it, among its results and globals.
local H = ...
local type, pairs, ipairs, rawget, next, select = type, pairs, ipairs, rawget, next, select
local getinfo, getlocal, sort, raw_pcall = debug.getinfo, debug.getlocal, table.sort, pcall
local unpack_list, info, nodes = table.unpack, H.info, H.nodes

H.notes = {}

-- Names of functions that build a network, in order of preference.
local conventional = {}
for name in ('createmodel buildmodel getmodel makemodel definemodel createnet buildnet getnet makenet '
  .. 'createnetwork buildnetwork getnetwork build create define model net network'):gmatch('%S+') do
  conventional[#conventional + 1] = name
end

local function plain(name) return (name:lower():gsub('_', '')) end

local function network(value)
  if info[value] then return value end
  if type(value) ~= 'table' then return nil end
  for _, name in ipairs{'model', 'net', 'network'} do
    if info[rawget(value, name)] then return rawget(value, name) end
  end
end

-- The functions and modules that the file itself put into a table, by name.
local function own(held, before)
  local found, names = {}, {}
  for name, value in next, held do
    local mine = type(value) == 'function' and getinfo(value, 'S').source == H.source or info[value]
    if type(name) == 'string' and mine and not (before and before[name]) then
      found[name], names[#names + 1] = value, name
    end
  end
  sort(names)
  return found, names
end

local function by_convention(found, names)
  for _, wanted in ipairs(conventional) do
    for _, name in ipairs(names) do
      if plain(name) == wanted then return found[name] end
    end
  end
end

-- Arguments by the names of the parameters: options, values of the request, or defaults.
local function arguments(f, self)
  local given, count = {}, 0
  for index = 1, 20 do
    local name = getlocal(f, index)
    if not name then break end
    count = index
    if name == 'self' and index == 1 then
      given[index] = self
    elseif H.is_options(name) then
      given[index] = H.options
    else
      given[index] = H.given(name, '')
    end
  end
  if count == 0 or count == 1 and given[1] == nil then return 1, {H.options} end
  return count, given
end

local function called(f, self)
  local count, given = arguments(f, self)
  local results = {f(unpack_list(given, 1, count))}
  for index = 2, #results do
    local more = info[results[index]]
    if more and not more.class.__typename:find('Criterion') then
      H.notes[#H.notes + 1] = 'gives ' .. more.class.__typename .. ' as well, which is not drawn'
    end
  end
  return results[1]
end

local function children(module)
  local held = rawget(module, 'modules')
  return type(held) == 'table' and held or {}
end

-- The only outermost network that was built, for a file that returns nothing.
local function alone()
  local inner = {}
  for _, module in ipairs(H.modules) do
    for _, child in ipairs(children(module)) do inner[child] = true end
  end
  for _, node in pairs(nodes) do
    if node.module then inner[node.module] = true end
  end
  local found
  for _, module in ipairs(H.modules) do
    local container = next(children(module)) or rawget(module, 'outputs')
    if not inner[module] and container then
      if found then return nil end
      found = module
    end
  end
  if found then
    H.notes[#H.notes + 1] = 'it gives nothing back: the only network that it builds is drawn'
  end
  return found
end

-- The network in what a definition returned or in its globals; else the only one that it built.
function H.network(returned, wanted, before)
  if wanted then
    local found = rawget(H.globals, wanted) or type(returned) == 'table' and rawget(returned, wanted)
    if type(found) == 'function' then found = called(found, returned) end
    return network(found), type(found), {}
  end
  if network(returned) then return network(returned), 'table', {} end
  if type(returned) == 'function' then
    local found = called(returned)
    return network(found), type(found), {}
  end
  local names_of = {}
  for _, held in ipairs{type(returned) == 'table' and returned or {}, H.globals} do
    local found, names = own(held, held == H.globals and before)
    local entry = by_convention(found, names)
    if type(entry) == 'function' then entry = called(entry, held) end
    if entry ~= nil then return network(entry), type(entry), {} end
    for _, name in ipairs(names) do names_of[#names_of + 1] = name end
    if #names == 1 and type(found[names[1]]) == 'function' then
      local made, value = raw_pcall(called, found[names[1]], held)
      if made and network(value) then return network(value), 'table', {} end
    end
  end
  local found = alone()
  for _, name in ipairs(H.classes) do names_of[#names_of + 1] = name end
  return found, type(returned), names_of
end
