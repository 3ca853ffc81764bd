-- Tensors: their sizes, where known, and methods that do nothing. Only a vector that was written
-- out as a list of numbers holds them: definitions keep widths in such.
local H = ...
local error, type, rawget, rawset, ipairs = error, type, rawget, rawset, ipairs
local setmetatable = setmetatable
local max, min, insert = math.max, math.min, table.insert

local methods, meta = {}, {}
local is_tensor = setmetatable({}, {__mode = 'k'})

local function sizes_of(tensor)
  local sizes = rawget(tensor, 'sizes')
  if not sizes then
    error('the size of a tensor is asked for that only Torch7 could compute', 3)
  end
  return sizes
end

-- A tensor of given sizes; of sizes that nobody knows without. `values` are those of a vector.
function H.tensor(sizes, values)
  local made = setmetatable({sizes = sizes, values = values}, meta)
  is_tensor[made] = true
  return made
end

function H.is_tensor(value)
  return is_tensor[value] == true
end

-- A torch.LongStorage: a plain list that can be asked for its length.
function H.storage(list)
  return setmetatable(list, {
    __index = {
      size = function(self) return #self end,
      totable = function(self) return self end,
      fill = function(self, value)
        for index = 1, #self do self[index] = value end
        return self
      end,
    },
    __metatable = false,
  })
end

function methods.size(self, dim)
  local sizes = sizes_of(self)
  if dim then return sizes[dim] end
  local list = {}
  for index, size in ipairs(sizes) do list[index] = size end
  return H.storage(list)
end

function methods.nElement(self)
  local count = 1
  for _, size in ipairs(sizes_of(self)) do count = count * size end
  return count
end

-- A tensor of a list: of numbers a vector with these values, of lists one of their sizes.
function H.listed(list)
  local sizes, inner, values = {}, list, {}
  while type(inner) == 'table' and #sizes < 8 do
    insert(sizes, #inner)
    inner = rawget(inner, 1)
  end
  if #sizes ~= 1 then return H.tensor(sizes) end
  for index, value in ipairs(list) do
    if type(value) ~= 'number' then return H.tensor(sizes) end
    values[index] = value
  end
  return H.tensor(sizes, values)
end

function methods.totable(self)
  local found = {}
  for index, value in ipairs(rawget(self, 'values') or {}) do found[index] = value end
  return found
end

-- A reduction of a vector whose values are known; of any other nobody knows the result.
local function reduction(combine)
  return function(self, dim)
    local values = rawget(self, 'values')
    if not values or dim then return H.tensor() end
    local made = values[1]
    for index = 2, #values do made = combine(made, values[index]) end
    return made
  end
end
methods.max, methods.min = reduction(max), reduction(min)
methods.sum = reduction(function(a, b) return a + b end)
methods.prod = reduction(function(a, b) return a * b end)

function methods.dim(self) return #sizes_of(self) end
function methods.type() return 'torch.FloatTensor' end
methods.numel, methods.nDimension = methods.nElement, methods.dim

-- What leaves a vector's values as they are; all else may change them.
local keeps = {}
for name in ('cuda float double int long byte clone contiguous typeAs'):gmatch('%S+') do
  keeps[name] = true
end

-- What changes the shape gives a tensor of which nothing is known; all else gives the same.
local reshaping = 'view reshape narrow select index transpose t mean std var resize '
  .. 'resizeAs cat expand repeatTensor squeeze unsqueeze new permute'
for name in reshaping:gmatch('%S+') do
  methods[name] = function() return H.tensor() end
end

function meta.__index(tensor, key)
  if methods[key] then return methods[key] end
  if type(key) == 'string' then
    return function(self)
      if not keeps[key] then rawset(self, 'values', nil) end
      return self
    end
  end
  local values = rawget(tensor, 'values')
  return values and values[key] or H.tensor()
end

function meta.__newindex(tensor, key, value)
  local values = rawget(tensor, 'values')
  if values and values[key] and type(value) == 'number' then values[key] = value end
end

function meta.__len(tensor)
  return (rawget(tensor, 'sizes') or {})[1] or 0
end

-- Arithmetic of a vector whose values are known and a number; of all else the sizes alone.
local function arithmetic(combine)
  return function(a, b)
    local vector, number = is_tensor[a] and a or b, is_tensor[a] and b or a
    local values = rawget(vector, 'values')
    if not values or type(number) ~= 'number' then return H.tensor(rawget(vector, 'sizes')) end
    local made = {}
    for index, value in ipairs(values) do
      made[index] = vector == a and combine(value, number) or combine(number, value)
    end
    return H.tensor({#made}, made)
  end
end
meta.__add, meta.__sub = arithmetic(function(a, b) return a + b end), arithmetic(function(a, b) return a - b end)
meta.__mul, meta.__div = arithmetic(function(a, b) return a * b end), arithmetic(function(a, b) return a / b end)
meta.__unm = function(a) return H.tensor(rawget(a, 'sizes')) end
meta.__tostring = function() return 'a tensor' end
meta.__metatable = false
