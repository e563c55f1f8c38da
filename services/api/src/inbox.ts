/** A mail as somebody would have got it. */
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

/** Mails that stayed on this machine, newest first. */
export type Inbox = {
  list(): Promise<InboxMessage[]>;
  find(id: string): Promise<InboxMessage | null>;
};
