-- Messages that are warnings or worse, with the innermost zone they were sent in.
SELECT time_ns, thread, severity, message,
       (SELECT name FROM zones
        WHERE zones.track_id = messages.thread_id AND start_ns <= messages.time_ns AND end_ns > messages.time_ns
        ORDER BY depth DESC LIMIT 1) AS zone
FROM messages
WHERE severity IN ('warning', 'error', 'fatal')
ORDER BY time_ns;
