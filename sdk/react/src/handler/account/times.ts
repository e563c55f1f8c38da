const form = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });

export const timeText = (at: Date): string => form.format(at);
export const dayText = (at: Date): string => day.format(at);
