-- What the zones named :name spend their time in: -p name=worker. The zones themselves are the row "(self)".
SELECT inner.name AS child, count(*) AS zones, sum(inner.duration_ns) AS total_ns
FROM zones AS outer JOIN zones AS inner ON inner.parent = outer.id
WHERE outer.name = :name
GROUP BY inner.name
UNION ALL
SELECT '(self)', count(*), sum(self_ns) FROM zones WHERE name = :name
ORDER BY 3 DESC, 1;
