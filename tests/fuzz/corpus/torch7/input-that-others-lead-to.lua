require 'nngraph'
INPUTS = {x = {2, 5, 8}}
local x = nn.Identity()()
local h = nn.Tanh()(nn.TemporalConvolution(8, 8, 3, 1)(x))
local s = nn.Narrow(2, 2, 3)(x)
local sum = nn.CAddTable()({h, s})
local m = nn.CMulTable()({nn.Sigmoid()(sum), nn.ReLU(true)(sum)})
local sel = nn.Select(2, 1)(m)
local t = nn.Transpose({2, 3})(m)
local r = nn.Reshape(24)(t)
local out = nn.Linear(24, 4)(nn.Dropout(0.3)(r))
return nn.gModule((sum), {out, nn.Linear(8, 2)(sel)})
