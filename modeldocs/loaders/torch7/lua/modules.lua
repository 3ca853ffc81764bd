-- Methods of all modules: containers add, setters set, others are accepted without effect.
local H = ...
local error, type, pairs, ipairs, rawget, rawset = error, type, pairs, ipairs, rawget, rawset
local setmetatable, tostring, insert, remove = setmetatable, tostring, table.insert, table.remove
local info = H.info

local Module = {__typename = 'nn.Module'}
H.Module = Module

local function same(self) return self end
local ignored = '__init cuda float double half training evaluate zeroGradParameters reset clearState '
  .. 'accUpdateGradParameters fastest setMode resetMode resetWeightDescriptors updateParameters '
  .. 'learningRate weightDecay maxNorm init initialize setNormalization threads init_ '
  .. 'remember forget accGradParameters sharedAccUpdateGradParameters flattenParameters '
  .. 'setInplace usePAPI cl verbose gradParameters createIODescriptors syncParameters'
for name in ignored:gmatch('%S+') do Module[name] = same end

function Module.type(self, wanted) return wanted and self or 'torch.FloatTensor' end
Module._type = 'torch.FloatTensor'

function Module.add(self, module, ...)
  if not info[module] then error('adds what is no module: ' .. type(module), 2) end
  insert(self.modules, module)
  return self
end

function Module.insert(self, module, index)
  if not info[module] then error('inserts what is no module: ' .. type(module), 2) end
  insert(self.modules, index or #self.modules + 1, module)
  return self
end

function Module.remove(self, index) return remove(self.modules, index or #self.modules) end
function Module.get(self, index) return self.modules[index < 0 and #self.modules + index + 1 or index] end
function Module.size(self) return #self.modules end

local function set(values)
  return function(self)
    for name, value in pairs(values) do rawset(self, name, value) end
    return self
  end
end

Module.ceil, Module.floor = set{ceil_mode = true}, set{ceil_mode = false}
Module.setCountIncludePad = set{count_include_pad = true}
Module.setCountExcludePad = set{count_include_pad = false}

function Module.noBias(self)
  rawset(self, 'bias', nil)
  return self
end

function Module.setNumInputDims(self, count)
  rawset(self, 'numInputDims', count)
  return self
end

function Module.resetSize(self, ...)
  rawset(self, 'size', H.storage({...}))
  return self
end

function Module.setPadding(self, width, height)
  rawset(self, 'padW', width)
  rawset(self, 'padH', height or width)
  return self
end

function Module.setName(self, name)
  rawset(self, 'name', name)
  return self
end
Module.annotate = function(self, told)
  return Module.setName(self, type(told) == 'table' and told.name or told)
end

-- All modules below one, itself first; each once.
function Module.listModules(self)
  local found, seen = {}, {}
  local function visit(module)
    if not info[module] or seen[module] then return end
    seen[module] = true
    found[#found + 1] = module
    for _, child in ipairs(rawget(module, 'modules') or {}) do visit(child) end
  end
  visit(self)
  return found
end

function Module.apply(self, callback)
  for _, module in ipairs(self:listModules()) do callback(module) end
  return self
end

function Module.applyToModules(self, callback)
  for _, module in ipairs(self.modules) do callback(module) end
end

function Module.findModules(self, typename)
  local found, containers = {}, {}
  for _, module in ipairs(self:listModules()) do
    if info[module].class.__typename == typename then
      found[#found + 1], containers[#containers + 1] = module, self
    end
  end
  return found, containers
end

function Module.replace(self, callback)
  local made = callback(self)
  local children = rawget(made, 'modules') or {}
  for index, child in ipairs(children) do children[index] = Module.replace(child, callback) end
  return made
end

-- A copy of a module and all below it; with names of parameters, it shares them.
function Module.clone(self, shared)
  local copies = {}
  local function copy(module)
    if copies[module] then return copies[module] end
    local made = H.remember(setmetatable({}, H.meta), info[module].class, shared and module or nil)
    copies[module] = made
    for key, value in pairs(module) do rawset(made, key, value) end
    rawset(made, 'modules', {})
    for index, child in ipairs(module.modules) do made.modules[index] = copy(child) end
    return made
  end
  return copy(self)
end

function Module.share(self, other)
  local own, theirs = self:listModules(), other:listModules()
  for index, module in ipairs(own) do info[module].like = theirs[index] end
  return self
end

function Module.parameters(self)
  local weights, gradients = {}, {}
  for _, module in ipairs(self:listModules()) do
    for _, name in ipairs{'weight', 'bias'} do
      if rawget(module, name) then
        weights[#weights + 1], gradients[#gradients + 1] = module[name], H.tensor()
      end
    end
  end
  return weights, gradients
end

function Module.getParameters() return H.tensor(), H.tensor() end
function Module.forward() return H.tensor() end
Module.updateOutput, Module.backward, Module.__call = Module.forward, Module.forward, nil
function Module.__tostring(self) return info[self].class.__typename end
