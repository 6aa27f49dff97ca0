/* Prints the rows of a question to DuckDB (npm: @duckdb/node-api) as lines of JSON: arrays, with integers as texts.
 * Usage: node duckdb_rows.js NODE_MODULES QUESTION ... ; an empty line follows each question. */
const {createRequire} = require("module");
const [folder, ...questions] = process.argv.slice(2);
const {DuckDBInstance} = createRequire(folder + "/")("@duckdb/node-api");

async function main() {
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    for (const question of questions) {
        const rows = (await connection.runAndReadAll(question)).getRows();
        for (const row of rows)
            console.log(JSON.stringify(row, (_, v) => typeof v === "bigint" ? `${v}` : Object.is(v, -0) ? 0 : v));
        console.log();
    }
}

main().catch(error => { console.error(error.message); process.exit(1); });
