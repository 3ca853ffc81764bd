"""What a hostile definition reaches: nothing, and it is stopped."""

from __future__ import annotations

import pytest

from modeldocs.errors import ModeldocsError
from modeldocs.loaders import loader
from modeldocs.loaders.torch7 import assembly
from tests.loaders.torch7.nets import graph_of, operators, request
from tests.refusals import load_or_refuse

ABSENT = (
    "os", "io", "package", "debug", "python", "load", "loadstring", "loadfile",
    "coroutine", "setfenv", "getfenv", "module", "newproxy", "H", "string.dump", "jit", "ffi",
    "_G.os", "_G._G.io", "_ENV.debug", "nn.python", "torch.python", "cutorch.os",
)  # fmt: skip


@pytest.mark.parametrize("name", ABSENT)
def test_a_definition_has_no(tmp_path, name):
    body = f"assert({name} == nil, 'it is there')\nreturn nn.ReLU()"
    assert operators(graph_of(tmp_path, body)) == ["Relu"]


def test_the_metatable_of_strings_is_not_to_be_had(tmp_path):
    body = """assert(getmetatable('') == nil)
    assert(getmetatable(nn.ReLU()) == nil and getmetatable(nn) == nil)
    assert(getmetatable(nn.ReLU().weight or torch.Tensor(3)) == nil)
    assert(('x').rep('y', 3) == 'yyy')
    return nn.ReLU()"""
    assert operators(graph_of(tmp_path, body)) == ["Relu"]


REFUSED = {
    "a module's metatable replaced": ("setmetatable(nn.ReLU(), {})", "protected metatable"),
    "the metatable of a namespace": ("setmetatable(nn, {})", "protected metatable"),
    "a finaliser": ("setmetatable({}, {__gc = function() end})", "sets a finaliser"),
    "the host's functions by upvalue": ("debug.getupvalue(nn.ReLU, 1)", "attempt to index"),
    "bytecode": ("load('\\27Lua')", "attempt to call"),
    "a file": ("io.open('/etc/passwd')", "attempt to index"),
    "a command": ("os.execute('true')", "attempt to index"),
    "Python through the bridge": ("python.builtins.open('x')", "attempt to index"),
    "a package": ("require 'os'", "requires os"),
    "a path": ("require '../secrets'", "requires ../secrets"),
}


@pytest.mark.parametrize("body", REFUSED.values(), ids=REFUSED)
def test_it_is_refused(tmp_path, body):
    with pytest.raises(ModeldocsError, match=body[1]):
        loader("torch7").load(request(tmp_path, body[0]))


ENDLESS = {
    "a loop": "while true do end",
    "a loop that catches its errors": "while true do pcall(function() while true do end end) end",
    "the same with a handler": """
        local function again() while true do end end
        while true do xpcall(again, again) end""",
    "an error that has no end": """
        error(setmetatable({}, {__tostring = function() while true do end end}))""",
    "an error caught that has no end": """
        pcall(error, setmetatable({}, {__tostring = function() while true do end end}))
        tostring(setmetatable({}, {__tostring = function() while true do end end}))""",
    "modules without end": "while true do nn.ReLU() end",
    "a string doubled": "local s = 'x'; while true do s = s .. s end",
    "a string repeated": "local s = ('x'):rep(2^31 - 1)",
    "a table that grows": "local t = {}; while true do t[#t + 1] = {} end",
    "recursion": "local function f() return 1 + f() end; f()",
    "recursion of metamethods": "local t = setmetatable({}, {}); "
    "getmetatable(t).__index = function(s, k) return s[k] end; local x = t.y",
    "recursion through callbacks": "local function f() return (('x'):gsub('x', f)) end; f()",
    "a pattern": "('a'):rep(3e5):find(('a?'):rep(3e5))",
    "sorting by a lie": "local t = {}; for i = 1, 1e5 do t[i] = i end; "
    "while true do table.sort(t, function() return true end) end",
}


@pytest.mark.parametrize("body", ENDLESS.values(), ids=ENDLESS)
def test_what_has_no_end_is_stopped(tmp_path, body):
    with pytest.raises(ModeldocsError) as caught:
        loader("torch7").load(request(tmp_path, body))
    assert caught.value.file == "net.lua"
    assert caught.value.fix


def test_printing_without_end_is_cut(tmp_path, capsys):
    graph_of(tmp_path, "for i = 1, 3000 do print(('x'):rep(3000)) end\nreturn nn.ReLU()")
    assert len(capsys.readouterr().out) <= 1000 * 1001


WIDE = {
    "containers in containers": "local m = nn.ReLU()\n"
    "for i = 1, 5000 do m = nn.Sequential():add(m) end\nreturn m",
    "a module that doubles": "local m = nn.ReLU()\n"
    "for i = 1, 40 do m = nn.Sequential():add(m):add(m) end\nreturn m",
    "fields that lead to themselves": "local m = nn.ReLU(); m.size = {}; m.size[1] = m.size\n"
    "m.list = {m}; m.inner = m; m[1] = m\nreturn nn.Sequential():add(m):add(nn.View(-1):add(m))",
    "modules that are none": "local m = nn.Sequential(); m.modules = {{}}\nreturn m",
    "modules that are a number": "local m = nn.Sequential(); m.modules = 3\nreturn m",
    "methods replaced": "nn.Module.listModules = function() return 3 end\n"
    "return cudnn.convert(nn.Sequential(), cudnn)",
    "classes without parents": "local C = torch.class('a.b.c', 'x'); return C()",
    "huge numbers": "return nn.SpatialMaxPooling(1e300, -1, 0/0, 1/0)",
    "odd names": "local m = nn.ReLU(); m.name = '\\0\\255\"' .. ('n'):rep(1e4); return m",
}


@pytest.mark.parametrize("body", WIDE.values(), ids=WIDE)
def test_odd_networks_load_or_are_told_in_one_sentence(tmp_path, monkeypatch, body):
    monkeypatch.setattr(assembly, "MAX_LAYERS", 2000)
    load_or_refuse(lambda: graph_of(tmp_path, body), "net.lua")
