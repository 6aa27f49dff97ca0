-- The 99th percentile of each kernel's zones by core: which core is slower than the others.
SELECT name, chip, tile, core, count(duration_ns) AS zones, percentile(duration_ns, 0.99) AS p99_ns
FROM zones
WHERE core IS NOT NULL
GROUP BY name, track_id
ORDER BY p99_ns DESC, name, track_id
LIMIT 40;
