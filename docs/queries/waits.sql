-- Who waited for whom, the longest time first.
SELECT waiter, giver, waited_ns, flows, longest_ns
FROM waits
ORDER BY waited_ns DESC, waiter, giver;
