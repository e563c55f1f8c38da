import { nameKeyOf } from '../teams/team-columns.ts';

/** Sorts after every text, so it stands for one that is missing. */
export const afterTexts = 'chr(1114111)';
const email = `channels -> primary_channel_id ->> 'value'`;

/** SQL for what lists are sorted by. A user without a name is shown by the email address, and so sorted by it. */
export const sortName = nameKeyOf(`coalesce(nullif(btrim(display_name), ''), ${email}, ${afterTexts})`);
export const sortEmail = nameKeyOf(`coalesce(${email}, ${afterTexts})`);
