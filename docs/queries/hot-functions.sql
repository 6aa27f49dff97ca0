-- The functions with most samples of their own.
SELECT name, self, total, file, line, image
FROM symbols
WHERE self > 0
ORDER BY self DESC, total DESC, name
LIMIT 40;
