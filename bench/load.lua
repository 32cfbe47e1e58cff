-- The load that wrk sends: calls from a file, in the file's order, again and again.
-- A line is `header<TAB>name<TAB>value` or `call<TAB>method<TAB>path<TAB>body`. In a path {any} is an
-- id from 1 to the number after `ids`, {any15} the same in 15 digits; in a body {n} is a number that
-- never comes twice.
local calls, count, at = {}, 0, 0
local ids, pauseMs, ordinal, seed = 1, 0, 0, 0

-- Made whole but for the number, whose place is cut out: the less the load takes of the processor,
-- the more the figures are those of the server.
local function made(method, path, body)
  local numbered = seed .. "-%09d"
  local mark = string.rep("#", #string.format(numbered, 0))
  local text = wrk.format(method, path, nil, body and (body:gsub("{n}", mark)))
  local from, to, digits = text:find("{any(%d*)}")
  local drawn = from ~= nil
  local form = numbered
  if drawn then
    form = digits == "" and "%d" or "%0" .. digits .. "d"
  else
    from, to = text:find(mark, 1, true)
  end
  local before, after = text:sub(1, from - 1), text:sub(to + 1)
  return function()
    ordinal = ordinal + 1
    return before .. string.format(form, drawn and math.random(ids) or ordinal) .. after
  end
end

local function readCall(method, path, body)
  if body == "" then body = nil end
  count = count + 1
  if path:find("{any", 1, true) or (body and body:find("{n}", 1, true)) then
    calls[count] = made(method, path, body)
  else
    calls[count] = wrk.format(method, path, nil, body)
  end
end

function init(args)
  seed, pauseMs = args[2], tonumber(args[3])
  math.randomseed(tonumber(seed))
  for line in io.lines(args[1]) do
    local kind, first, second, third = line:match("^(%w+)\t([^\t]*)\t?([^\t]*)\t?(.*)$")
    if kind == "header" then wrk.headers[first] = second end
    if kind == "ids" then ids = tonumber(first) end
    if kind == "call" then readCall(first, second, third) end
  end
  -- Two loads at once should not walk in step.
  at = tonumber(seed) * 7919 % count
  if pauseMs > 0 then delay = function() return pauseMs end end
end

-- Whatever host name a server is asked for, it is on this machine.
function wrk.resolve(_, service)
  wrk.addrs = wrk.lookup("127.0.0.1", service)
end

function request()
  at = at % count + 1
  local call = calls[at]
  if type(call) == "string" then return call end
  return call()
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\nfigures {"requests":%d,"durationUs":%d,"p50Us":%d,"p99Us":%d,"refused":%d,"broken":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    errors.status, errors.connect + errors.read + errors.write + errors.timeout
  ))
end
