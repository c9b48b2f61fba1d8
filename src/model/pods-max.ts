/** More pods of one owner than any cluster runs. What asks for more is a slip or an attack, and nothing to be played. */
export const podsOfOneOwnerMax = 5_000;
