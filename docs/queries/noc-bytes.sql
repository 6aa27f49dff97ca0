-- How many bytes went over the NoC from tile to tile.
SELECT chip, noc, from_tile, to_tile, count(*) AS transfers, sum(bytes) AS bytes, max(duration_ns) AS longest_ns
FROM noc_transfers
GROUP BY chip, noc, from_tile, to_tile
ORDER BY 6 DESC, chip, noc, from_tile, to_tile;
