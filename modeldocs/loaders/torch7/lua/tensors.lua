-- Tensors that hold no numbers: their sizes, where known, and methods that do nothing.
local H = ...
local error, type, rawget, ipairs = error, type, rawget, ipairs
local setmetatable = setmetatable

local methods, meta = {}, {}
local is_tensor = setmetatable({}, {__mode = 'k'})

local function sizes_of(tensor)
  local sizes = rawget(tensor, 'sizes')
  if not sizes then
    error('the size of a tensor is asked for that only Torch7 could compute', 3)
  end
  return sizes
end

-- A tensor of given sizes; of sizes that nobody knows without.
function H.tensor(sizes)
  local made = setmetatable({sizes = sizes}, meta)
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

function methods.dim(self) return #sizes_of(self) end
function methods.type() return 'torch.FloatTensor' end
methods.numel, methods.nDimension = methods.nElement, methods.dim

-- What changes the shape gives a tensor of which nothing is known; all else gives the same.
local reshaping = 'view reshape narrow select index transpose t sum mean max min std var resize '
  .. 'resizeAs cat expand repeatTensor squeeze unsqueeze new permute'
for name in reshaping:gmatch('%S+') do
  methods[name] = function() return H.tensor() end
end

function meta.__index(tensor, key)
  if methods[key] then return methods[key] end
  if type(key) == 'string' then return function(self) return self end end
  return H.tensor()
end

function meta.__newindex() end
local function same(a, b) return is_tensor[a] and a or b end
meta.__add, meta.__sub, meta.__mul, meta.__div, meta.__unm = same, same, same, same, same
meta.__tostring = function() return 'a tensor' end
meta.__metatable = false
