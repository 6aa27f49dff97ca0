-- How busy each core was, and how much of its time it waited.
SELECT lane, zones, round(busy * 100, 1) AS busy_percent, round(wait * 100, 1) AS wait_percent, longest_ns
FROM lanes
WHERE lane_id IN (SELECT id FROM tracks WHERE kind = 'core')
ORDER BY busy, lane;
