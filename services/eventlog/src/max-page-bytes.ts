/** What a page or batch of events may take, unless a single event takes more. */
export const maxPageBytes = 8_388_608;
