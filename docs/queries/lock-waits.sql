-- The locks for which threads waited, the longest time first.
SELECT lock, kind, waited_ns, longest_ns, longest_at_ns, held_ns, contended_ns, all_waits, threads
FROM locks
ORDER BY waited_ns DESC, id;
