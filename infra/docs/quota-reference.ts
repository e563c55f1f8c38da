import { quotaWireNames } from '@gatebook/contract/quota-names';
import { quotaNames, quotaRules } from '@gatebook/domain/project/quotas';
import { maxListed } from '@gatebook/readmodel/list-limits';

const boundBy = {
  client: 'client access; what a server or admin creates is neither limited nor counted',
  all: 'everyone',
};

/** The quotas as Markdown. */
export function quotaReference(): string {
  const rows = quotaNames.map((name) => {
    const { standard, most, access, things } = quotaRules[name];
    return `| \`${quotaWireNames[name]}\` | ${things} | ${standard} | ${most} | ${boundBy[access]} |`;
  });
  return `# Quotas and sizes

The tables are made by \`npm run docs\`; a test keeps them fresh. How often something may be done is another matter: see
[rate limits](rate-limits.md).

## Quotas

| Quota | Of | Default | At most | Enforced for |
| --- | --- | --- | --- | --- |
${rows.join('\n')}

A project's owner changes them in the dashboard (Settings, Quotas) or by \`PATCH /api/v1/internal/projects/current/settings\` with
\`{ "quotas": { "teams_per_user": 50 } }\`; null goes back to the default. A quota that is lowered below what exists deletes nothing.
\`projects_per_owner\` counts in project \`internal\` alone.

What goes beyond a quota is rejected with 400 and one sentence that names the quota. Sessions are the exception: a sign-in always
works, and the session that was unused for longest ends, whoever started it. Impersonation sessions are not counted.

What was deleted, revoked, left or has expired does not count. Why it is exact under concurrent requests:
[decision 29](decisions/0029-quotas-are-counted-in-streams.md).

## Sizes of requests

| Part | At most |
| --- | --- |
| body | 1,572,864 bytes, 10,000 keys, 64 levels |
| path and headers together | 16 KiB |
| names of users, teams and projects | 256 characters |
| descriptions | 2,000 characters |
| email addresses | 320 characters |
| URLs | 4,096 characters; trusted domains 2,048 |
| profile images (data URLs) | 1,000,000 characters |
| metadata: client, client read-only, server | 65,536 bytes each, as compact JSON in UTF-8 |
| content of an email template | 262,144 bytes |
| subject of an email template | 998 characters |
| passwords | 1,024 characters (\`SCHEMA_ERROR\`); the rules of passwords are narrower and have errors of their own |

[The API](api.md) names the limit of every field. Characters are UTF-16 code units. A request beyond a limit is rejected with
\`SCHEMA_ERROR\` or \`BODY_PARSING_ERROR\` (400). Numbers in JSON must fit a 64-bit floating-point number: \`1e400\`, \`1e-400\` and integers
that would be rounded are rejected.

## Sizes of lists

\`GET /users\` answers 1,000 users a page. Lists without pages (teams, member profiles, permissions, contact channels, sessions,
invitations, API keys, key sets, owned projects) answer ${maxListed.toLocaleString('en')} entries at most; what comes after is left out.
`;
}
