-- How many zones named :name lasted how long, by powers of two: -p name=worker.
SELECT json_extract(value, '$.from') AS from_ns, json_extract(value, '$.to') AS to_ns,
       json_extract(value, '$.count') AS zones
FROM json_each((SELECT histogram(duration_ns) FROM zones WHERE name = :name));
