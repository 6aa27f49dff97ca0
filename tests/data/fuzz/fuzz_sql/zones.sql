SELECT name, count(*), sum(duration_ns), percentile(self_ns, 0.9) FROM zones WHERE start_ns BETWEEN 10 AND :n GROUP BY name ORDER BY 3 DESC LIMIT 5;
SELECT a.id FROM zones a JOIN zones b ON b.parent = a.id WHERE b.depth >= 1 AND a.track_id = 2 AND a.tile = '1,0' ORDER BY a.start_ns DESC;
