-- Every marker of tracy/TracyLua.hpp.
local function leaf(n)
  tracy.ZoneBegin()
  tracy.ZoneText("n = " .. n .. ")")
  tracy.ZoneEnd()
end

local function deep(n)
  if n > 0 then
    deep(n - 1)
    return n
  end
  tracy.ZoneBeginS(20)
  tracy.ZoneEnd()
  tracy.ZoneBeginNS("named with stack", 2)
  tracy.ZoneEnd()
end

function work(n)
  tracy.ZoneBeginN("work")
  tracy.ZoneName("round " .. n)
  leaf(n)
  tracy.ZoneEnd()
end

for i = 1, 10 do
  work(i)
end
deep(3)

local one = coroutine.create(function()
  tracy.ZoneBeginN("in a coroutine")
  tracy.ZoneEnd()
  coroutine.yield()
  tracy.ZoneBeginN("in a coroutine")
  tracy.ZoneEnd()
end)
coroutine.resume(one)
coroutine.resume(one)

local section = 0
if tracy.SectionEnter then
  section = tracy.SectionEnter("loading 100%", 7)
end
tracy.Message("a message, with (brackets")
if tracy.SectionLeave then
  tracy.SectionLeave(section)
end

-- The brackets: no tail call, which LuaJIT tells hooks of as two calls.
function inner(text)
  return (string.len(text))
end

function hooked()
  local sum = 0
  for i = 1, 3 do
    sum = sum + inner("abc")
  end
  return sum
end

result = section * 0 + 10
