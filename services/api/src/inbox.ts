/** An email as its recipient would have received it. */
export type InboxMessage = {
  id: string;
  /** ISO 8601. */
  at: string;
  from: string;
  to: string[];
  subject: string;
  html: string | null;
  text: string;
};

/** Emails that stayed on this machine, newest first. */
export type Inbox = {
  list(): Promise<InboxMessage[]>;
  find(id: string): Promise<InboxMessage | null>;
};
