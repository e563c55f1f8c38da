export const accessTypes = ['client', 'server', 'admin'] as const;
export type AccessType = (typeof accessTypes)[number];

export const isAccessType = (text: string): text is AccessType => (accessTypes as readonly string[]).includes(text);
