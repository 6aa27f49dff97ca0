-- The zones that had not ended when the recording did: where each track was.
SELECT track, depth, name, start_ns, text
FROM zones
WHERE end_ns IS NULL
ORDER BY track_id, depth;
