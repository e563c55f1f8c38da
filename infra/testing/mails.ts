import { setTimeout as pause } from 'node:timers/promises';

export type Mail = {
  subject: string;
  text: string;
  /** The link that carries a code. */
  link: string;
  /** The six characters of a sign-in mail. */
  shortCode: string | null;
};
type Listed = { id: string; to: string[]; subject: string };

const LOOK_MS = 50;
const LOOKS = 200;

/** Security notices come by themselves, a moment after what they tell of: nobody waits for one. */
const isNotice = (text: string) => text.includes('/handler/report-activity?code=');

/** Reads the local inbox of a running Gatebook mail by mail, without security notices: each one is handed out once. */
export function createMailReader(origin: string) {
  const seen = new Set<string>();
  const read = async <Answer>(path: string): Promise<Answer> => {
    const answer = await fetch(`${origin}${path}`);
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
    return (await answer.json()) as Answer;
  };
  return {
    /** The next mail to this address, or the next security notice; waits for it for ten seconds. */
    next: async (to: string, { kind = 'mail' }: { kind?: 'mail' | 'notice' } = {}): Promise<Mail> => {
      for (let look = 0; look < LOOKS; look += 1) {
        const { items } = await read<{ items: Listed[] }>('/inbox/messages');
        const unseen = items.filter((item) => item.to.includes(to) && !seen.has(item.id));
        for (const item of unseen.reverse()) {
          const { text } = await read<{ text: string }>(`/inbox/messages/${item.id}`);
          if (isNotice(text) !== (kind === 'notice')) continue;
          seen.add(item.id);
          return toMail(item.subject, text);
        }
        await pause(LOOK_MS);
      }
      throw new Error(`no mail came for ${to}`);
    },
  };
}

function toMail(subject: string, text: string): Mail {
  const link = /https?:\/\/\S+[?&]code=[0-9a-z]{45}\S*/.exec(text)?.[0];
  if (link === undefined) throw new Error(`the mail "${subject}" has no link with a code: ${text}`);
  return { subject, text, link, shortCode: /(?<![\w=])[0-9A-Z]{6}(?!\w)/.exec(text)?.[0] ?? null };
}
