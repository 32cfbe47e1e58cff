migrate((app) => {
  const signedIn = '@request.auth.id != ""';
  app.save(
    new Collection({
      type: "base",
      name: "pets",
      listRule: signedIn,
      viewRule: signedIn,
      createRule: signedIn,
      fields: [
        { name: "name", type: "text", required: true, max: 255 },
        { name: "categoryId", type: "number", onlyInt: true },
        { name: "status", type: "select", values: ["available", "pending", "sold"], maxSelect: 1 },
      ],
      indexes: ["CREATE INDEX pets_by_status ON pets (status, id)"],
    }),
  );

  const user = new Record(app.findCollectionByNameOrId("users"));
  user.set("email", "bench@example.com");
  user.setPassword("only-for-the-bench");
  app.save(user);

  // No line per request, as the others have none.
  const settings = app.settings();
  settings.logs.maxDays = 0;
  app.save(settings);
});
