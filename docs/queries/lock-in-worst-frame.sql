-- Which threads held which locks in the longest frame, and for how long.
WITH worst AS (
  SELECT * FROM frames WHERE set_id = 0 AND frame > 0 ORDER BY duration_ns DESC LIMIT 1),
held AS (
  SELECT lock_id, lock, thread, kind, time_ns AS start_ns,
         lead(time_ns) OVER (PARTITION BY lock_id, thread ORDER BY time_ns) AS end_ns
  FROM lock_events)
SELECT worst.label AS frame, lock, (SELECT name FROM tracks WHERE tracks.thread = held.thread LIMIT 1) AS thread,
       sum(overlap(held.start_ns, held.end_ns, worst.start_ns, worst.end_ns)) AS held_ns, count(*) AS times
FROM worst JOIN held ON held.start_ns < worst.end_ns AND held.end_ns > worst.start_ns
WHERE kind IN ('obtain', 'shared obtain')
GROUP BY lock_id, held.thread
ORDER BY held_ns DESC, lock_id, held.thread;
