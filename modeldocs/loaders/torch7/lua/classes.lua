-- Classes whose constructors record the module, its arguments and its line.
local H = ...
local error, type, pairs, ipairs, rawget, rawset = error, type, pairs, ipairs, rawget, rawset
local setmetatable, select, tonumber, tostring = setmetatable, select, tonumber, tostring
local getinfo, getlocal = debug.getinfo, debug.getlocal

H.MAX_MODULES = 100000
H.info = setmetatable({}, {__mode = 'k'})
H.modules = {}
local info, made = H.info, 0

-- The running line of the definition, from the call stack.
local function line()
  for level = 3, 60 do
    local frame = getinfo(level, 'Sl')
    if not frame then break end
    if frame.source == H.source then return frame.currentline end
  end
  return H.line
end

local function default(self, text)
  if text == nil then return nil end
  if text:sub(1, 1) == '@' then return rawget(self, text:sub(2)) end
  if text == 'true' or text == 'false' then return text == 'true' end
  return tonumber(text)
end

-- The sizes of a parameter: names of fields, with `a/b` and `a*b` of two.
local function sizes(self, text)
  local found = {}
  for part in text:gmatch('[^,]+') do
    local first, sign, second = part:match('^(%w+)([*/]?)(%w*)$')
    local a, b = tonumber(first) or rawget(self, first), rawget(self, second)
    if type(a) ~= 'number' or sign ~= '' and type(b) ~= 'number' then return nil end
    if sign == '/' then a = a / b elseif sign == '*' then a = a * b end
    found[#found + 1] = a
  end
  return found
end

local function list(...)
  local first = ...
  if select('#', ...) == 1 and type(first) == 'table' and not H.is_tensor(first) then
    return H.storage({(table.unpack or unpack)(first)})
  end
  local found = {...}
  -- Reshape's last argument may be its batch mode.
  local mode = found[#found]
  if type(mode) == 'boolean' then found[#found] = nil end
  return H.storage(found), type(mode) == 'boolean' and mode or nil
end

local function take(self, signature, ...)
  local position = 0
  for name, text in signature:gmatch('([%w_.]+)=?(%S*)') do
    position = position + 1
    if name:sub(1, 3) == '...' then
      local found, mode = list(select(position, ...))
      if select('#', ...) < position then found = H.storage({}) end
      rawset(self, name:sub(4), found)
      rawset(self, 'batchMode', mode)
      return
    end
    local given = select(position, ...)
    if given == nil then given = default(self, text ~= '' and text or nil) end
    rawset(self, name, given)
  end
end

local function grow(self, spec)
  for name, text in spec:gmatch('([%w_]+)=(%S+)') do
    rawset(self, name, H.tensor(text == '...' and rawget(self, 'size') or sizes(self, text)))
  end
end

local function initialise(class)
  return function(self, ...)
    local spec = class.spec
    if not spec then
      local arguments = {}
      for index = 1, select('#', ...) do arguments[index] = (select(index, ...)) end
      rawset(self, 'arguments', arguments)
      return
    end
    local signature, parameters = spec:match('^([^:]*):?(.*)$')
    take(self, signature, ...)
    grow(self, parameters)
    if rawget(self, 'affine') == false or rawget(self, 'hasBias') == false
      or rawget(self, 'noBias_') == true then
      rawset(self, 'bias', nil)
      if rawget(self, 'affine') == false then rawset(self, 'weight', nil) end
    end
    local inner = rawget(self, 'module')
    if inner and info[inner] then self.modules[1] = inner end
  end
end

-- Record a new module; `like` is the module that it was copied from.
function H.remember(self, class, like)
  made = made + 1
  if made > H.MAX_MODULES then error('makes more than ' .. H.MAX_MODULES .. ' modules', 0) end
  info[self] = {class = class, line = line(), number = made, like = like}
  H.modules[made] = self
  return self
end

local meta = {
  __index = function(self, key) return info[self].class[key] end,
  __tostring = function(self) return info[self].class.__typename end,
  __call = function(self, ...) return H.node(self, ...) end,
  __unm = function(self) return H.node(self) end,
  __sub = function(before, self)
    if not info[self] then error('subtracts what is no module from a module', 2) end
    return H.node(self, before)
  end,
  __len = function(self) return #self.modules end,
  __metatable = false,
}
H.meta = meta

-- A class; `spec` is nil if it is unknown. `builtin` is the known class that it behaves as.
function H.class(typename, parent, spec, builtin)
  local class = {__typename = typename, spec = spec, builtin = builtin}
  class.__init = initialise(class)
  return setmetatable(class, {
    __index = parent or H.Module,
    __call = function(_, ...)
      local self = H.remember(setmetatable({modules = {}}, meta), class)
      class.__init(self, ...)
      return self
    end,
    __tostring = function() return typename end,
    __metatable = false,
  })
end

-- A namespace of classes, created when a definition first uses them; their names are capitalised.
-- It also has those of `nn`, unless it is `apart`, where the same names mean other classes.
function H.namespace(name, specs, apart)
  return setmetatable({}, {
    __index = function(space, key)
      if type(key) ~= 'string' or not key:match('^%u') then return nil end
      local spec = specs[key] or not apart and H.specs[key] or nil
      local class = H.class(name .. '.' .. key, nil, spec, spec and key or nil)
      rawset(space, key, class)
      return class
    end,
    __metatable = false,
  })
end
