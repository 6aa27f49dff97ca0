-- The 20 zones that lasted longest, with their texts.
SELECT name, track, start_ns, duration_ns, self_ns, text
FROM zones
ORDER BY duration_ns DESC, id
LIMIT 20;
