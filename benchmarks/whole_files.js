// List sessions by reading whole files and parsing the first line, as catbuddy's own list does.
const fs = require('fs');
const path = require('path');
const folder = process.argv[2];
const rows = [];
for (const name of fs.readdirSync(folder)) {
  if (!name.endsWith('.jsonl')) continue;
  const lines = fs.readFileSync(path.join(folder, name), 'utf-8').split('\n').filter(Boolean);
  rows.push(JSON.parse(lines[0]));
}
rows.sort((a, b) => b.updated_at.localeCompare(a.updated_at));
for (const row of rows) console.log(`${row.updated_at}\t${row.key}\t${row.preview}`);
