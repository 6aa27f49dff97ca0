-- How often zones of each name ran, and how long in all.
SELECT name, count(*) AS zones, sum(duration_ns) AS total_ns, sum(self_ns) AS self_ns, max(duration_ns) AS max_ns
FROM zones
GROUP BY name
ORDER BY total_ns DESC, name;
