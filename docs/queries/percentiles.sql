-- Median, 90th and 99th percentile of the zones of each name.
SELECT name, count(duration_ns) AS zones, percentile(duration_ns, 0.5) AS median_ns,
       percentile(duration_ns, 0.9) AS p90_ns, percentile(duration_ns, 0.99) AS p99_ns
FROM zones
GROUP BY name
ORDER BY p99_ns DESC, name;
