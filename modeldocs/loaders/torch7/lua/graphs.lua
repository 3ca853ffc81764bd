-- nngraph: modules applied to nodes, and the gModule built of them.
local H = ...
local error, type, ipairs, rawget, rawset, setmetatable = error, type, ipairs, rawget, rawset, setmetatable
local info = H.info

local meta, nodes = {}, setmetatable({}, {__mode = 'k'})
H.nodes = nodes
meta.__metatable = false

local methods = {}
meta.__index = methods

local function made(fields)
  local node = setmetatable({}, meta)
  nodes[node] = fields
  return node
end

-- A module applied to nodes: `module()`, `module(node)`, `module({node, node})`.
function H.node(module, ...)
  local given = ...
  local parents = {}
  if nodes[given] then
    parents[1] = given
  elseif type(given) == 'table' then
    for index, parent in ipairs(given) do
      if not nodes[parent] then error('calls a module on what is no node of a graph', 3) end
      parents[index] = parent
    end
  elseif given ~= nil then
    error('calls a module on what is no node of a graph; only Torch7 could run it', 3)
  end
  return made{module = module, parents = parents}
end

function methods.split(self, count)
  local found = {}
  for index = 1, count do found[index] = made{select = index, parents = {self}} end
  return (table.unpack or unpack)(found)
end

function methods.annotate(self, told)
  local module = nodes[self].module
  if module and type(told) == 'table' then rawset(module, 'name', told.name) end
  return self
end
methods.graphNodeName, methods.label = methods.annotate, methods.annotate

function meta.__sub(before, module)
  if not info[module] then error('subtracts what is no module from a node', 2) end
  return H.node(module, before)
end

local function list(given)
  return nodes[given] and {given} or given or {}
end

function H.gModule(class)
  class.__init = function(self, inputs, outputs)
    rawset(self, 'modules', {})
    rawset(self, 'inputs', list(inputs))
    rawset(self, 'outputs', list(outputs))
  end
end
