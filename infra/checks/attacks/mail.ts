import { type AddressInfo, createServer } from 'node:net';
import { type Attack, attack } from './attack.ts';
import { mustHold } from './outcome.ts';
import { callbackUrl, newEmail, type Project, type World } from './world.ts';

function testMail(world: World, project: Project, host: string, port: number) {
  const email_config = {
    host,
    port,
    username: '',
    password: '',
    sender_name: 'Shop',
    sender_email: 'shop@example.com',
  };
  const body = { recipient_email: newEmail(), email_config };
  return world.send('POST', '/internal/send-test-email', { ...project, access: 'admin', body });
}

/** The mail by which a team with this name invites. */
async function invitationOf(world: World, display_name: string) {
  const { a, must } = world;
  const person = await world.signUp(a);
  const team = await must('POST', '/teams', { ...a, as: person.accessToken, body: { display_name } });
  const email = newEmail('invited');
  await must('POST', '/team-invitations/send-code', {
    ...a,
    as: person.accessToken,
    body: { team_id: team.id, email, callback_url: callbackUrl },
  });
  const mail = await world.nextMail(email, ({ code }) => code !== null);
  if (mail === null) throw new Error('no email arrived');
  return { mail, count: (await world.listMails(email)).length };
}

export const mail: readonly Attack[] = [
  attack('W1', 'A project’s mail server is the metadata service of a cloud provider', async (world) => {
    const project = await world.newProject();
    for (const host of [
      '169.254.169.254',
      '[fe80::1]',
      'fd00:ec2::254',
      '0.0.0.0',
      '::ffff:169.254.169.254',
      '64:ff9b::a9fe:a9fe',
    ]) {
      const started = Date.now();
      const { body, status } = await testMail(world, project, host, 80);
      mustHold(status >= 400 || body.success === false, `${host} was reached`);
      mustHold(Date.now() - started < 10_000, `${host} was tried for over ten seconds`);
    }
  }),
  attack('V12', 'The error of a test email reveals the reply of an internal service (W2)', async (world) => {
    const banner = 'INTERNAL-SECRET-BANNER';
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.end(`554 ${banner}\r\n`);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = server.address() as AddressInfo;
      const { text } = await testMail(world, await world.newProject(), '127.0.0.1', port);
      mustHold(!text.includes(banner), 'the response contains the banner');
    } finally {
      server.close();
    }
  }),
  attack('W3', 'A team name injects headers and recipients into an email', async (world) => {
    const victim = newEmail('bcc');
    const { mail: got } = await invitationOf(world, `Crew\r\nBcc: ${victim}\r\nSubject: Pwned`);
    mustHold(!/^pwned/i.test(got.subject), 'the subject was replaced');
    mustHold((await world.listMails(victim)).length === 0, 'a copy went to another address');
  }),
  attack('W4', 'A team name injects a link into an email', async (world) => {
    const { mail: got } = await invitationOf(world, 'Win at https://evil.example/now or evil.example');
    mustHold(
      !/https?:\/\/evil\.example|(?<![\u2060])evil\.example/.test(`${got.subject} ${got.text}`),
      'the link works',
    );
  }),
  attack('W5', 'A display name is executed as a template', async (world) => {
    const { mail: got } = await invitationOf(world, 'Crew {{ teamInvitationLink }} {{constructor}} #{7*7} <%= 7*7 %>');
    mustHold(!/native code|\b49\b/.test(got.subject) && !got.subject.includes('code='), 'the name was executed');
  }),
  attack('W6', 'A template with a script, or with a link to `javascript:`, is saved and sent', async (world) => {
    const project = await world.newProject();
    const content = {
      root: { type: 'EmailLayout', data: { childrenIds: ['a'] } },
      a: { type: 'Button', data: { props: { text: 'x', url: 'javascript:alert(1)' } } },
    };
    const body = { subject: '<script>alert(1)</script>', content };
    await world.send('PATCH', '/email-templates/magic_link', { ...project, access: 'admin', body });
    const shown = await world.send('POST', '/internal/email-templates/magic_link/preview', {
      ...project,
      access: 'admin',
      body,
    });
    mustHold(shown.status < 500, `preview: ${shown.status}`);
    const html = typeof shown.body === 'object' && shown.body !== null ? String(shown.body.html ?? '') : '';
    mustHold(!/<script|href="javascript:/i.test(html), 'the preview executes it');
  }),
];
