import { setTimeout as pause } from 'node:timers/promises';
import { pollDeadlineMs } from '@gatebook/runtime/testing/deadlines';

export type Mail = {
  subject: string;
  text: string;
  /** The link with the code. */
  link: string;
  /** The six-character code of a sign-in email. */
  shortCode: string | null;
};
type Listed = { id: string; to: string[]; subject: string };

const pollMs = 50;

/** Security notices arrive at any time, so they are skipped unless they are requested. */
const isNotice = (text: string) => text.includes('/handler/report-activity?code=');

/** Reads the local inbox of a running Gatebook. Returns each email once. */
export function createMailReader(origin: string) {
  const seen = new Set<string>();
  const read = async <Answer>(path: string): Promise<Answer> => {
    const answer = await fetch(`${origin}${path}`);
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
    return (await answer.json()) as Answer;
  };
  return {
    /** Waits for the next email to this address, or for the next security notice. */
    next: async (to: string, { kind = 'mail' }: { kind?: 'mail' | 'notice' } = {}): Promise<Mail> => {
      for (const end = performance.now() + pollDeadlineMs; performance.now() < end; await pause(pollMs)) {
        const { items } = await read<{ items: Listed[] }>('/inbox/messages');
        const unseen = items.filter((item) => item.to.includes(to) && !seen.has(item.id));
        for (const item of unseen.reverse()) {
          const { text } = await read<{ text: string }>(`/inbox/messages/${item.id}`);
          if (isNotice(text) !== (kind === 'notice')) continue;
          seen.add(item.id);
          return toMail(item.subject, text);
        }
      }
      throw new Error(`no email arrived for ${to}`);
    },
  };
}

function toMail(subject: string, text: string): Mail {
  const link = /https?:\/\/\S+[?&]code=[0-9a-z]{45}\S*/.exec(text)?.[0];
  if (link === undefined) throw new Error(`the email "${subject}" has no link with a code: ${text}`);
  return { subject, text, link, shortCode: /(?<![\w=])[0-9A-Z]{6}(?!\w)/.exec(text)?.[0] ?? null };
}
