import { expect, test } from 'vitest';
import { curlAsServer, curlOf } from './curl.ts';

test('a command quotes what the shell would read otherwise', () => {
  const command = curlOf({
    url: 'https://a.test/?a=1&b=$HOME',
    method: 'POST',
    headers: { 'x-note': 'it’s "$5"' },
    body: `{"name":"O'Neil"}`,
  });
  expect(command).toBe(
    [
      "curl -X POST 'https://a.test/?a=1&b=$HOME' \\",
      `  -H 'x-note: it’s "$5"' \\`,
      `  --data-raw '{"name":"O'\\''Neil"}'`,
    ].join('\n'),
  );
});

test('a command names the variable of the secret key, and streams without a buffer', () => {
  const command = curlAsServer('https://a.test', 'p1', '/events/stream?types=user.*', true);
  expect(command).toContain("curl -N 'https://a.test/api/v1/events/stream?types=user.*'");
  expect(command).toContain('-H "x-stack-secret-server-key: $GATEBOOK_SECRET_SERVER_KEY"');
});
