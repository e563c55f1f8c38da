import { setTimeout as pause } from 'node:timers/promises';

/** An email that Gatebook sent. Nothing leaves the machine. */
export type Email = {
  id: string;
  at: string;
  from: string;
  to: string[];
  subject: string;
  text: string;
  html: string | null;
  /** The link with a code, such as one to verify an address; null if there is none. */
  link: string | null;
  /** The six characters to enter; null if there are none. */
  code: string | null;
};
export type NextEmailOptions = {
  /** Its subject, or a part of it. */
  subject?: string;
  /** 10 seconds by default. */
  timeoutMs?: number;
};
export type Emails = {
  /** Newest first. */
  list(): Promise<Email[]>;
  /**
   * Waits for the next email to this address; each one is returned once. Notices about the security of an account are
   * skipped, because they can arrive at any time, unless their subject is asked for. @throws Error after the timeout
   */
  next(to: string, options?: NextEmailOptions): Promise<Email>;
};

const pollMs = 50;
const isNotice = ({ text }: Email) => text.includes('/report-activity?code=');

/** Reads the inbox for development of a Gatebook at `url`. */
export function createEmails(url: string): Emails {
  const seen = new Set<string>();
  const known = new Map<string, Email>();
  const read = async <Answer>(path: string): Promise<Answer> => {
    const response = await fetch(`${url}/inbox/messages${path}`);
    if (!response.ok) throw new Error(`The inbox answered ${response.status}.`);
    return (await response.json()) as Answer;
  };
  const find = async (id: string): Promise<Email> => {
    const email = known.get(id) ?? withCode(await read<Omit<Email, 'link' | 'code'>>(`/${id}`));
    known.set(id, email);
    return email;
  };
  const list = async () => {
    const { items } = await read<{ items: { id: string }[] }>('');
    return Promise.all(items.map(({ id }) => find(id)));
  };
  return {
    list,
    next: async (to, { subject, timeoutMs = 10_000 } = {}) => {
      const isWanted = (email: Email) =>
        !seen.has(email.id) &&
        email.to.includes(to) &&
        (subject === undefined ? !isNotice(email) : email.subject.includes(subject));
      for (const end = performance.now() + timeoutMs; ; await pause(pollMs)) {
        const email = (await list()).findLast(isWanted);
        if (email) {
          seen.add(email.id);
          return email;
        }
        if (performance.now() > end) throw new Error(`No email to ${to} arrived in ${timeoutMs} ms.`);
      }
    },
  };
}

function withCode(email: Omit<Email, 'link' | 'code'>): Email {
  const link = /https?:\/\/\S+[?&]code=[^\s&]+\S*/.exec(email.text)?.[0] ?? null;
  return { ...email, link, code: /(?<![\w=/])[0-9A-Z]{6}(?!\w)/.exec(email.text)?.[0] ?? null };
}
