/** Whether every process on the database has said that it knows of every change to what it watches. */
export const allKnow =
  (query: (text: string) => Promise<unknown[]>): (() => Promise<boolean>) =>
  async () =>
    (
      await query(
        `SELECT 1 FROM watchers JOIN counters ON counters.name = watchers.counter
         WHERE watchers.value < counters.value`,
      )
    ).length === 0;
