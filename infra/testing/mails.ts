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

/** Reads the local inbox of a running Gatebook mail by mail: each one is handed out once. */
export function createMailReader(origin: string) {
  const seen = new Set<string>();
  const read = async <Answer>(path: string): Promise<Answer> => {
    const answer = await fetch(`${origin}${path}`);
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
    return (await answer.json()) as Answer;
  };
  return {
    /** The next mail to this address; waits for it for ten seconds. */
    next: async (to: string): Promise<Mail> => {
      for (let look = 0; look < LOOKS; look += 1) {
        const { items } = await read<{ items: Listed[] }>('/inbox/messages');
        const found = items.findLast((item) => item.to.includes(to) && !seen.has(item.id));
        if (found) {
          seen.add(found.id);
          const { text } = await read<{ text: string }>(`/inbox/messages/${found.id}`);
          return toMail(found.subject, text);
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
